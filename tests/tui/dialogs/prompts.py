"""One prompt of each kind, and what must be shown of anything."""

from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, Evidence, InputPrompt, Prompt, RecoveryPrompt
from tui.dialogs.host import NOW

CONFIRM = ConfirmPrompt(
    message="Promote build 1.5.3 to prod?\nThe canary ran for 30 minutes without an error.",
    operation="deploy prod --build 1.5.3",
    details={"risk": "low", "changes": "12 commits, 0 migrations", "canary errors": 3},
)
CHOICE = ChoicePrompt(
    question="Where does this go?", choices=("nonprod", "prod", "prod-eu", "no", "not now", "Prod team")
)
TICKET = InputPrompt(prompt="Which ticket?", validation_pattern=r"[A-Z]{3}-\d+", max_length=20)
NOTES = InputPrompt(prompt="Release notes, if any.", multiline=True, required=False)
RECOVERY = RecoveryPrompt(
    block="deploy_prod",
    attempt=1,
    command="./deploy.sh prod --build 1.5.3",
    evidence=Evidence(
        started_at=NOW - 900,
        reason="its process was killed (SIGKILL)",
        last_output="\n".join(f"host {number}: copied, restarting" for number in range(12)),
    ),
)
ALL: tuple[Prompt, ...] = (CONFIRM, CHOICE, TICKET, NOTES, RECOVERY)

MARKUP = "Deploy to [prod]? range [a-z] [b]x[/b] [/] [/etc/hosts] [0] a[0]=1 [link=http://x]y[/link]"

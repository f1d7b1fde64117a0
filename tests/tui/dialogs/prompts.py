"""One prompt of each kind, and what must be shown of anything."""

from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    Evidence,
    Exhibit,
    ExhibitKind,
    FormField,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
    Source,
)
from tui.dialogs.host import NOW

CONFIRM = ConfirmPrompt(
    message="Promote build 1.5.3 to prod?\nThe canary ran for 30 minutes without an error.",
    operation="deploy prod --build 1.5.3",
    details={"risk": "low", "changes": "12 commits, 0 migrations", "canary errors": 3},
)
CHOICE = ChoicePrompt(
    question="Where does this go?", choices=("nonprod", "prod", "prod-eu", "no", "not now", "Prod team")
)
SEVERAL = ChoicePrompt(
    question="Which regions get it?",
    choices=("eu", "us", "ap", "sa, south and north", "[af]"),
    multiple=True,
    min=1,
    max=3,
)
TICKET = InputPrompt(prompt="Which ticket?", validation_pattern=r"[A-Z]{3}-\d+", max_length=20)
NOTES = InputPrompt(prompt="Release notes, if any.", multiline=True, required=False)
SETTINGS = InputPrompt(prompt="Which settings?", input_type=InputKind.JSON)
DAY = InputPrompt(
    prompt="From which day on?", input_type=InputKind.DATE, earliest="2026-12-01", latest="2026-12-31"
)
FORM = FormPrompt(
    message="How is it to be deployed?",
    fields=(
        FormField(id="ticket", prompt=TICKET),
        FormField(
            id="replicas",
            prompt=InputPrompt(
                prompt="How many replicas?", input_type=InputKind.INTEGER, min=1, max=20, default="2"
            ),
            required=False,
        ),
        FormField(id="size", prompt=ChoicePrompt(question="Which size?", choices=("small", "large"))),
        FormField(
            id="regions",
            prompt=ChoicePrompt(
                question="Which regions?", choices=("eu", "us, east", "ap"), multiple=True, max=2
            ),
        ),
        FormField(
            id="drain",
            prompt=InputPrompt(prompt="Drain it first?", input_type=InputKind.BOOLEAN, default="true"),
            required=False,
        ),
        FormField(
            id="note",
            prompt=InputPrompt(prompt="Anything to add?", multiline=True, required=False),
            required=False,
        ),
    ),
)
EASY_FORM = FormPrompt(message="Any wishes?", fields=(FORM.fields[1], FORM.fields[4]))
"""A form in which everything has a default."""
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
ALL: tuple[Prompt, ...] = (
    CONFIRM,
    CHOICE,
    SEVERAL,
    TICKET,
    NOTES,
    SETTINGS,
    DAY,
    FORM,
    EASY_FORM,
    RECOVERY,
)

DIFF = Exhibit(
    title="What changes",
    kind=ExhibitKind.DIFF,
    text="\n".join(
        [
            "--- manifest.yaml",
            "+++ out/manifest.yaml",
            "@@ -1,40 +1,40 @@",
            " kind: Deployment",
            "-  replicas: 2",
            "+  replicas: 4",
            "--- not a file, but a removed line of SQL",
            *(f" line {number}" for number in range(40)),
        ]
    ),
    sources=(
        Source(path="manifest.yaml", size=812, sha256="a" * 64),
        Source(path="out/manifest.yaml", size=815, sha256="0123456789abcdef" * 4),
    ),
)
LOG = Exhibit(
    title="The canary's log",
    kind=ExhibitKind.FILE,
    text="start\n[... 90,000 bytes are left out here ...]\nend",
    left_out=90_000,
    sources=(Source(path="canary.log", size=90_010, sha256="b" * 64),),
)
GONE = Exhibit(
    title="The plan",
    kind=ExhibitKind.FILE,
    text="deploy.plan cannot be read: no such file or directory",
    sources=(Source(path="deploy.plan", problem="deploy.plan cannot be read: no such file or directory"),),
)
SHOWN = CONFIRM.evolve(show=(DIFF, LOG, GONE))

MARKUP = "Deploy to [prod]? range [a-z] [b]x[/b] [/] [/etc/hosts] [0] a[0]=1 [link=http://x]y[/link]"

"""Masks: nothing of a secret stays, in whatever form and in whatever chunks it comes, and nothing else changes."""

import base64
import json
import math
import re
import shlex
from decimal import Decimal
from itertools import pairwise
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.blocks.capture import Capture
from tidegate.blocks.masking import NO_MASKS, Masks
from tidegate.blocks.secret_forms import forms_of
from tidegate.model.base import Json

TOKEN = 's3cr/et "q" \'é+&=%'  # noqa: S105 - one for tests
KEY = "-----BEGIN KEY-----\nMIIEvgIBADANBgkqhkiG9w0BAQEFAASC\nQIDAQABAoIBAQC7\n-----END KEY-----"
SECRET = st.text(st.sampled_from("abcd\n\r'\"/+ é%&\\="), min_size=4, max_size=30).filter(
    lambda text: len(text.replace("\n", "").replace("\r", "").strip()) >= 4
)
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
NOISE = st.binary(max_size=12) | st.sampled_from([b"ab", b"a", b"\n", b"[secret T]", b"[", b"%", b"\\"])


def encoded(secret: str, form: str) -> bytes:
    """Return *secret* as some program writes it."""
    return {
        "plain": secret,
        "windows": secret.replace("\n", "\r\n"),
        "url": quote(secret, safe=""),
        "form": quote_plus(secret),
        "json": json.dumps(secret)[1:-1],
        "json in json": json.dumps(json.dumps(secret)[1:-1])[1:-1],
        "text in json": json.dumps(secret, ensure_ascii=False)[1:-1],
        "base64": base64.b64encode(secret.encode()).decode(),
        "base64 for urls": base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
        "folded base64": base64.encodebytes(secret.encode() * 3).decode(),
        "repr": repr(secret)[1:-1],
        "trace": secret.replace("'", "'\\''"),
    }[form].encode()


FORMS = [
    "plain",
    "windows",
    "url",
    "form",
    "json",
    "json in json",
    "text in json",
    "base64",
    "base64 for urls",
    "folded base64",
    "repr",
    "trace",
]


def streamed(masks: Masks, chunks: list[bytes]) -> bytes:
    """Return what is kept of a stream that comes in *chunks*."""
    stream = masks.stream()
    return b"".join([*(stream.feed(chunk) for chunk in chunks), stream.end()])


@st.composite
def streams(draw: st.DrawFn) -> tuple[dict[str, str], list[bytes]]:
    """Return secrets, and a stream with some of them in it that is cut anywhere."""
    names = ["T", "U"][: draw(st.integers(1, 2))]
    values = {name: draw(SECRET) for name in names}
    written = st.tuples(st.sampled_from(sorted(values.values())), st.sampled_from(FORMS))
    part = NOISE | written.map(lambda pair: encoded(*pair)) | written.map(lambda pair: encoded(*pair)[:-1])
    data = b"".join(draw(st.lists(part, max_size=8)))
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    bounds = [0, *cuts, len(data)]
    return values, [data[start:end] for start, end in pairwise(bounds)]


@patient
@given(streams())
def test_chunks_make_no_difference(drawn: tuple[dict[str, str], list[bytes]]) -> None:
    """However a stream is cut, the same is kept of it."""
    values, chunks = drawn
    masks = Masks(values)

    assert streamed(masks, chunks) == streamed(masks, [b"".join(chunks)])


@patient
@given(streams())
def test_no_form_of_a_secret_stays(drawn: tuple[dict[str, str], list[bytes]]) -> None:
    """Also of two that overlap: what stays between the masks holds none of them."""
    values, chunks = drawn
    kept = streamed(Masks(values), chunks)

    betweens = kept.replace(b"[secret T]", b"[secret U]").split(b"[secret U]")
    for form in {form for value in values.values() for form in forms_of(value)}:
        folded = b"(?:\r?\n)?".join(re.escape(form[at : at + 1]) for at in range(len(form)))
        assert not any(re.search(folded, between) for between in betweens), form


@patient
@given(st.lists(st.binary(max_size=20), max_size=10))
def test_what_is_no_secret_comes_back_as_it_was(chunks: list[bytes]) -> None:
    """Every byte of it, and nothing is held back for ever."""
    assert streamed(Masks({"T": "correct horse battery"}), chunks) == b"".join(chunks)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", [TOKEN, KEY], ids=["token", "key"])
def test_each_form_is_found(secret: str, form: str) -> None:
    """By itself, and byte by byte."""
    masks, data = Masks({"T": secret}), b"<" + encoded(secret, form) + b">"
    kept = streamed(masks, [data[at : at + 1] for at in range(len(data))])

    assert kept.startswith(b"<[secret T]")
    assert len(kept) < 30 or form == "folded base64"
    assert not any(form in kept for form in forms_of(secret))


@pytest.mark.parametrize("before", ["", "x", "me:", "user:"])
def test_a_secret_inside_of_what_was_encoded_is_found(before: str) -> None:
    """Wherever it begins: `user:password` is how HTTP sends one."""
    header = base64.b64encode(f"{before}{TOKEN}, and more".encode()).decode()

    kept = Masks({"T": TOKEN}).text(f"Authorization: Basic {header}")

    assert "[secret T]" in kept
    assert TOKEN[4:-4].encode() not in base64.b64decode(kept.partition("[secret T]")[2] + "====")


def test_long_base64_is_found_although_it_is_folded() -> None:
    """As `base64` folds it, after 76 characters."""
    folded = base64.encodebytes(f"header\n{KEY}\n".encode()).decode()

    kept = Masks({"K": KEY}).text(folded)

    assert len(kept) < 30


def test_a_line_of_a_secret_is_masked_by_itself() -> None:
    """With something before it, as `sed` and `diff` print it; a short one tells nothing."""
    masks = Masks({"K": "first-line-of-it\nno\n  last-line-of-it"})

    assert masks.text("+ first-line-of-it\n+ no\n+   last-line-of-it") == "+ [secret K]\n+ no\n+   [secret K]"


def test_overlapping_secrets_are_masked_together() -> None:
    """Neither end of the other one stays."""
    masks = Masks({"A": "abcdef", "B": "defghi", "C": "defg"})

    assert (
        masks.text("(abcdefghi) (abcdefabcdef) (defg)") == "([secret A]) ([secret A][secret A]) ([secret C])"
    )


def test_what_may_become_a_secret_waits_and_what_does_not_goes_on() -> None:
    """So a prompt without a line break is seen at once."""
    stream = Masks({"T": "s3cret-token"}).stream()

    assert stream.feed(b"Password: ") == b"Password: "
    assert stream.feed(b"s3cret-") == b""
    assert stream.feed(b"life") == b"s3cret-life"
    assert stream.feed(b"s3cret-") == b""
    assert stream.feed(b"token!") == b"[secret T]!"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("ends with correct-ho", "ends with [secret T]"),
        ("ends with correct", "ends with correct"),
        ("must be text, not 'correct-horse-ba...' (in x)", "must be text, not '[secret T]...' (in x)"),
        ("nothing... of it", "nothing... of it"),
    ],
)
def test_a_message_may_have_been_cut_off(text: str, kept: str) -> None:
    """Eight characters of a secret are masked where more may have been."""
    assert Masks({"T": "correct-horse-battery"}).message(text) == kept


def test_a_capture_cuts_masks_and_no_secrets() -> None:
    """Half a secret at the gap would be found by nobody."""
    capture = Capture(head=12, tail=6, masks=Masks({"T": "abcdefghijkl"}))
    for part in (b"0123456789ab", b"cdefghijkl", b"." * 100, b"abcdefgh", b"ijkl"):
        capture.add(part)

    assert capture.text() == "0123456789[s\n... [112 bytes left out] ...\nret T]"


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"a": ["x 12345678", {"12345678": None}]}, {"a": ["x [secret T]", {"[secret T]": None}]}),
        ([12345678, 123456789, True, 1.5], ["[secret T]", 123456789, True, 1.5]),
        (base64.b64encode(b"12345678").decode(), "[secret T]"),
    ],
)
def test_values_are_masked_inside(value: Json, kept: Json) -> None:
    """Texts, keys, and numbers that are the secret."""
    assert Masks({"T": "12345678"}).json(value) == kept


@pytest.mark.parametrize("value", [Decimal("1.5"), (1, 2), math.inf, "\udcff", {1: "12345678"}])
def test_what_no_journal_holds_comes_back_as_it_is(value: Json) -> None:
    """It is refused where it would be kept."""
    assert Masks({"T": "12345678"}).json(value) is value


def test_without_secrets_nothing_is_looked_at() -> None:
    """No copy is made."""
    value: Json = ["x"]

    assert NO_MASKS.json(value) is value
    assert shlex.quote(TOKEN) in NO_MASKS.message(shlex.quote(TOKEN))


def test_a_flood_that_looks_like_a_secret_is_bounded() -> None:
    """What waits is never longer than three times a secret."""
    stream = Masks({"T": "ab" * 2000}).stream()
    given = sum(len(stream.feed(b"ab" * 999 + b"a\n" + b"\n" * 3000)) for _ in range(20))

    assert 20 * 5000 - given <= 3 * 8000

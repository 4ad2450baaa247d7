"""Settings: read once at the start from the environment and `.env`; a wrong one is refused in one sentence."""

import ipaddress
import math
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, NoDecode, SettingsConfigDict

from sim.core.names import nearest

PREFIX = "FRACAS_"
_ENV_FILE = Path(".env")
ENCODING = "utf-8-sig"  # Windows editors put a byte order mark before the first name
SHOWN_CHARACTERS = 60
MAX_SHARDS = 1000
KEPT_BACKUPS = 14

# User id, time and signature in URL-safe base64. The look-behind keeps the search linear on long words.
TOKEN_SHAPE = re.compile(r"(?<![\w-])[\w-]{23,}\.[\w-]{6,7}\.[\w-]{27,}", re.ASCII)


class OperatorError(Exception):
    """Something can't be done; `str(error)` is one plain sentence for the operator."""


class SettingsError(OperatorError):
    """Settings that Fracas can't start with: the variable, its value (never a secret's) and what is allowed."""


@dataclass(frozen=True, slots=True)
class Server:
    """A database of PostgreSQL; `url` may hold a password, which `str` leaves out."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        """Return the address without the password."""
        scheme, _, rest = self.url.partition("://")
        who, at, where = rest.rpartition("@")  # the last one: a password may hold others
        where = re.sub(r"(?<=[?&])password=[^&]*", "password=…", where)
        return f"{scheme}://{who.partition(':')[0]}{at}{where}"


def database_place(value: object) -> Path | Server:
    """Return the server or the file that a text names; ValueError."""
    if isinstance(value, Path | Server):
        return value
    if re.match("postgres(ql)?://", str(value)):
        return Server(str(value))
    return Path(str(_file_path(value)))


def must_be(
    allowed: str,
    shape: str = "(?s:.*)",
    read: Callable[[str], Any] = str,
    fits: Callable[[Any], bool] = lambda _value: True,
) -> BeforeValidator:
    """Return a validator for texts of a `shape` whose value, as `read` returns it, `fits`; `allowed`: in words.

    Python's own readers also take signs, blanks and every script's digits. `read` may raise ValueError or LookupError.
    """

    def check(value: object) -> object:
        if not isinstance(value, str | int | float):
            return value
        with suppress(ValueError, LookupError):
            if re.fullmatch(shape, str(value), re.ASCII) and fits(found := read(str(value))):
                return found
        raise ValueError(allowed)

    return BeforeValidator(check)


def whole_number(low: int, high: int) -> BeforeValidator:
    """Return a validator for a whole number from `low` to `high`, written in plain ASCII digits."""
    return must_be(f"a whole number from {low} to {high}", "[0-9]{1,9}", int, lambda number: low <= number <= high)


def seconds_up_to(high: float) -> BeforeValidator:
    """Return a validator for a plain decimal number above 0, at most `high`."""
    allowed = f"a number of seconds above 0 and up to {high:g}"
    return must_be(allowed, r"[0-9]{1,9}(\.[0-9]{1,9})?", float, lambda seconds: 0 < seconds <= high)


def word_of(literal: object) -> BeforeValidator:
    """Return a validator for one of a literal's words, in capitals or not."""
    spellings: dict[str, str] = {word.casefold(): word for word in get_args(literal)}
    return must_be(f"one of {', '.join(spellings.values())}", read=lambda text: spellings[text.casefold()])


LogFormat = Literal["text", "json"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


def _file_path(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        raise ValueError("the path of a file, without control characters")
    return value


IP_ADDRESS = must_be("an IP address, such as 127.0.0.1 or 0.0.0.0", read=lambda text: str(ipaddress.ip_address(text)))
# It stands in a Markdown link.
WEB_ADDRESS = must_be(
    "an address that begins with https://, without blanks and brackets", r"https?://[^\s<>()\[\]]{1,500}"
)
# Another token would fail only later, as a header, in an error that may show it.
TOKEN = must_be("a token: plain characters without blanks or line breaks", "[!-~]+")
DSN = must_be(
    "a Sentry DSN, such as https://KEY@sentry.example.org/1", r"https?://[\w:-]+@[\w.:\[\]-]+(/[\w.-]+)*/[0-9]+"
)
SCHEDULER = must_be(
    "the address of a scheduler, such as tcp://10.0.0.5:8786, or tls://… with certificates",
    r"(tcp|tls)://[\w.:\[\]-]{1,253}:[0-9]{1,5}",
)

_RANGE = r"\s*([0-9]{1,3})\s*(?:-\s*([0-9]{1,3})\s*)?"


def _shard_numbers(text: str) -> tuple[int, ...]:
    """Read numbers and ranges, such as 0-3,8; none at all if a range runs backward."""
    ranges = [range(int(low), int(high or low) + 1) for low, high in re.findall(_RANGE, text)]
    return tuple(sorted(set(chain(*ranges)))) if all(ranges) else ()


SHARDS = must_be("numbers of shards from 0 on, such as 0-3 or 0,4", f"{_RANGE}(,{_RANGE})*", _shard_numbers, fits=bool)

BEACON_HOSTS = (
    "https://api.drand.sh",
    "https://api2.drand.sh",
    "https://api3.drand.sh",
    "https://drand.cloudflare.com",
)
SHEET_HOSTS = ("docs.google.com", "*.googleusercontent.com")
"""Where Google publishes sheets: a link on the first leads on to the second."""


def _hosts(known: tuple[str, ...], pattern: str, allowed: str) -> BeforeValidator:
    """Return a validator for hosts, in words `allowed`, with commas between them; on: the known ones, off: none."""

    def read(text: str) -> tuple[str, ...]:
        hosts = tuple(host.strip().lower().rstrip("/") for host in text.split(","))
        return {"on": known, "off": ()}.get(text.casefold(), hosts)

    def fits(hosts: tuple[str, ...]) -> bool:
        return all(re.fullmatch(pattern, host, re.ASCII) for host in hosts)

    return must_be(f"on, off, or {allowed} with commas between them", read=read, fits=fits)


_BEACON = _hosts(BEACON_HOSTS, r"https?://[\w.:\[\]-]{1,253}", "addresses such as https://api.drand.sh")
# The last part is no number: an address in place of a name wouldn't be resolved, and so not checked.
_SHEETS = _hosts(
    SHEET_HOSTS, r"(\*\.)?([a-z0-9-]+\.)+[a-z][a-z0-9-]*", "hosts such as docs.google.com or *.example.org"
)


class Settings(BaseSettings):
    """All settings; frozen. Get them from `load_settings`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file_encoding=ENCODING,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    discord_token: Annotated[SecretStr | None, TOKEN] = Field(None, validation_alias="DISCORD_TOKEN")
    """The bot's token; without one Fracas opens its offline table."""
    db: Annotated[Path | Server, BeforeValidator(database_place)] = Path("fracas.db")
    """The database file, in a directory that exists; or a PostgreSQL server, postgresql://…."""
    log_format: Annotated[LogFormat, word_of(LogFormat)] = "text"
    """How log lines look: text, or json with one object a line."""
    log_level: Annotated[LogLevel, word_of(LogLevel)] = "INFO"
    """The least weighty log lines to keep: DEBUG, INFO, WARNING, ERROR or CRITICAL."""
    health_port: Annotated[int, whole_number(1, 65535)] | None = None
    """The port of the health pages, 1 to 65535; without one there are none."""
    health_host: Annotated[str, IP_ADDRESS] = "127.0.0.1"
    """The address the health pages listen at; 0.0.0.0 is every one of this machine."""
    sentry_dsn: Annotated[SecretStr | None, DSN] = None
    """The DSN of a Sentry project that gets the errors, without people's texts; needs the extra sentry."""
    workers: Annotated[int, whole_number(1, 64)] = 2
    """How many processes work out battles, 1 to 64; of two or more, one is kept for quick questions."""
    job_seconds: Annotated[float, seconds_up_to(60)] = 5.0
    """How many seconds one calculation may take, above 0 and up to 60."""
    job_memory_mib: Annotated[int, whole_number(256, 65536)] = 2048
    """How many MiB of memory one process may use, 256 to 65536."""
    cluster: Annotated[str, SCHEDULER] | None = None
    """A cluster's scheduler, as tcp://HOST:PORT or tls://HOST:PORT; needs the extra cluster."""
    cluster_ca: Annotated[Path, BeforeValidator(_file_path)] | None = None
    """For tls://: the certificate of the authority that signed those of all its machines, a PEM file."""
    cluster_cert: Annotated[Path, BeforeValidator(_file_path)] | None = None
    """For tls://: this machine's certificate, a PEM file."""
    cluster_key: Annotated[Path, BeforeValidator(_file_path)] | None = None
    """For tls://: the private key of this certificate, a PEM file."""

    shards: Annotated[int, whole_number(1, MAX_SHARDS)] | None = None
    """How many connections share the servers, 1 to 1000; without a number, as many as Discord advises."""
    shard_ids: Annotated[tuple[int, ...] | None, NoDecode, SHARDS] = None
    """Which of the FRACAS_SHARDS this process serves, such as 0-3 or 0,4, with PostgreSQL; else all."""

    copy_days: Annotated[int, whole_number(0, 365)] = 7
    """How many days the copies from before a migration or a restore are kept, 0 to 365."""
    backup_dir: Annotated[Path, BeforeValidator(_file_path)] | None = None
    """The folder for backups, for this database alone; without one there are none by themselves."""
    backup_hours: Annotated[int, whole_number(1, 720)] = 6
    """How many hours lie between two backups, 1 to 720; the last 14 are kept."""
    privacy_url: Annotated[str, WEB_ADDRESS] | None = None
    """The address of your privacy policy, for /about; .docs/privacy.md is a text to adapt."""
    terms_url: Annotated[str, WEB_ADDRESS] | None = None
    """The address of your terms of use, for /about; .docs/terms.md is a text to adapt."""

    beacon: Annotated[tuple[str, ...], NoDecode, _BEACON] = Field("on", validate_default=True)
    """Whether drand's public beacon has a part in the dice: off, on, or the addresses of its rounds."""

    replay_url: Annotated[str, WEB_ADDRESS] | None = None
    """The address of the site that `fracas replay-site` built; ended battles link to it."""

    sheet_hosts: Annotated[tuple[str, ...], NoDecode, _SHEETS] = Field(
        default="on",
        validate_default=True,
        description="The hosts whose published sheets are read in place of rosters: on for Google's, off, or names.",
    )

    @property
    def beacon_hosts(self) -> tuple[str, ...]:
        """Whom the bot asks for the rounds of the beacon: at the offline table nobody."""
        return () if self.discord_token is None else self.beacon

    @property
    def backup_days(self) -> int | None:
        """For how many days backups are kept; None for a database without any."""
        is_backed_up = self.backup_dir is not None and isinstance(self.db, Path)
        return math.ceil(KEPT_BACKUPS * self.backup_hours / 24) if is_backed_up else None

    @property
    def links(self) -> list[str]:
        """A link to each of the operator's policies, in Markdown."""
        named = {"Privacy policy": self.privacy_url, "Terms of use": self.terms_url}
        return [f"[{name}]({address})" for name, address in named.items() if address]

    @property
    def has_cluster(self) -> bool:
        """Whether anything is set of a cluster."""
        return any((self.cluster, self.cluster_ca, self.cluster_cert, self.cluster_key))

    @model_validator(mode="before")
    @classmethod
    def _blank_is_unset(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Strip blanks, and take an empty variable for one that isn't there.

        This happens after the sources are merged, so an empty variable also hides what `.env` says.
        """
        stripped = {name: value.strip() if isinstance(value, str) else value for name, value in values.items()}
        return {name: value for name, value in stripped.items() if value not in (None, "")}

    @model_validator(mode="after")
    def _expect_own_shards(self) -> Self:
        if not self.shard_ids:
            return self
        if self.shards is None:
            raise SettingsError("FRACAS_SHARD_IDS needs FRACAS_SHARDS: the same number for every process.")
        if (last := max(self.shard_ids)) >= self.shards:
            told = f"FRACAS_SHARD_IDS names shard {last}; with FRACAS_SHARDS={self.shards}"
            raise SettingsError(f"{told} the last one is {self.shards - 1}.")
        return self


OFFLINE = Settings.model_construct(shards=1, sheet_hosts=())
"""Settings by which no other machine is asked."""


def variables() -> dict[str, str]:
    """Return the environment variable of each setting: field name -> variable."""
    return {
        name: str(field.validation_alias) if field.validation_alias else f"{PREFIX}{name.upper()}"
        for name, field in Settings.model_fields.items()
    }


def load_settings() -> Settings:
    """Read the settings from the environment and, for what isn't set there, from the file `.env` if it exists.

    Raises `SettingsError` for a bad value, for an unknown `FRACAS_*` variable in either place, and for a file that
    can't be read.
    """
    try:
        _refuse_unknown()
        return Settings(_env_file=_ENV_FILE)
    except ValidationError as error:
        sentence = _sentence(error)
    except (OSError, UnicodeDecodeError):
        sentence = f"The file {_ENV_FILE} can't be read; it must be UTF-8 text that Fracas may read."
    # Raised here and not above, where the error in hand, which holds the values, would travel along.
    raise SettingsError(sentence)


def _refuse_unknown() -> None:
    filed = DotEnvSettingsSource(Settings, env_file=_ENV_FILE, env_file_encoding=ENCODING).env_vars
    known = list(variables().values())
    for name in sorted({variable.upper() for variable in (*os.environ, *filed)}):
        if not name.startswith(PREFIX) or name in known:
            continue
        # Without the prefix, which would make every known name look near.
        near = nearest(name.removeprefix(PREFIX), {pair.removeprefix(PREFIX): pair for pair in known}, parts=True)
        hint = f"did you mean {near}?" if near else ".env.example lists them all."
        raise SettingsError(f"{_redact(name)} is not a setting of Fracas; {hint}")


def _sentence(error: ValidationError) -> str:
    """Put the first problem into one sentence."""
    first = error.errors(include_url=False)[0]
    field = next((name for name, variable in variables().items() if first["loc"][0] in (name, variable)), "")
    variable = variables().get(field, str(first["loc"][0]))
    allowed = first.get("ctx", {}).get("error", first["msg"])
    is_secret = field in {"discord_token", "sentry_dsn"}
    value = "unusable (its value is not shown)" if is_secret else repr(_redact(str(first["input"])))
    return f"{variable} is {value}; it must be {allowed}."


def _redact(value: str) -> str:
    # A token pasted into the wrong variable is still a token.
    value = TOKEN_SHAPE.sub("[token]", value)
    return value if len(value) <= SHOWN_CHARACTERS else f"{value[:SHOWN_CHARACTERS]}…"

"""Reads a roster from the link of a published sheet, from hosts that the operator allows and from nowhere else.

Players choose the link, so it must not open this machine or its network to them: only https, only these hosts, also
after a redirect, and only public addresses, checked when the connection is made.
"""

import asyncio
import ipaddress
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.store.queries import MAX_BYTES
from bot.ui.options import Upload
from sim.core import RuleError

MAX_LINK = 500
"""Characters of a sheet's link."""

SHEET_SECONDS = 5.0
"""The longest that a sheet may take, with all redirects."""

_MAX_REDIRECTS = 3
_TRANSLATED, _UNICAST = ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("2000::/3")
_NO_TABLE = (
    "This link shows a web page, not a table. Publish the sheet as comma-separated values (.csv); in Google Sheets"
    " that is File, Share, Publish to web."
)


def is_link(typed: str) -> bool:
    """Return whether somebody typed a web address, not a name."""
    return typed.strip().lower().startswith(("https://", "http://"))


def is_public(address: str) -> bool:
    """Return whether an IP address is of the public internet, also behind the forms of it that IPv6 has for IPv4."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        elif inner is None and found not in _UNICAST:  # such as ::127.0.0.1, which Python takes for a global one
            return False
        found = inner or found
    return found.is_global and not found.is_multicast


@dataclass(frozen=True)
class PublicResolver(AbstractResolver):
    """Resolves `names`, and raises RuleError for one that has an address without `check`."""

    names: AbstractResolver
    check: Callable[[str], bool]

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        """Return the addresses, all of them public."""
        found = await self.names.resolve(host, port, family)  # type: ignore[arg-type]  # a number, as its callers have it
        if not all(self.check(each["host"]) for each in found):
            raise RuleError(f"{host} has an address that isn't public, so nothing is read from it.")
        return found

    async def close(self) -> None:
        """Close what resolves the names."""
        await self.names.close()


@dataclass(frozen=True)
class SheetReader:
    """Reads sheets from `hosts`, such as "docs.google.com" or "*.example.org".

    A test gives what resolves `names`, the `check` of their addresses, and whose certificates are good (`tls`).
    """

    hosts: Sequence[str] = ()
    names: Callable[[], AbstractResolver] = aiohttp.DefaultResolver
    check: Callable[[str], bool] = is_public
    tls: ssl.SSLContext | bool = True
    seconds: float = SHEET_SECONDS

    async def read(self, link: str) -> Upload:
        """Return what a link leads to, at most `MAX_BYTES`; RuleError, one sentence, when it can't be had."""
        link = link.strip()
        if not self.hosts:
            raise RuleError("This bot doesn't read sheets by link; attach the file.")
        try:
            url = URL(link if len(link) <= MAX_LINK else "")
        except ValueError:
            url = URL()
        resolver = PublicResolver(self.names(), self.check)
        # No cookies, no proxy of the environment, and nothing unpacked: a small answer could become a large one.
        connector = aiohttp.TCPConnector(resolver=resolver, ssl=self.tls, force_close=True)
        try:
            async with (
                asyncio.timeout(self.seconds),
                aiohttp.ClientSession(
                    connector=connector,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    auto_decompress=False,
                    headers={"Accept-Encoding": "identity", "Accept": "text/csv, text/plain"},
                ) as session,
            ):
                return await self._follow(session, url)
        except TimeoutError:
            raise RuleError(f"The sheet didn't come within {self.seconds:g} seconds; please try again.") from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise RuleError(f"The sheet can't be read from {url.host} now; please try again.") from None
        finally:
            await resolver.close()

    async def _follow(self, session: aiohttp.ClientSession, url: URL) -> Upload:
        """Read an address, and go where it leads on to, as far as that is allowed."""
        name = f"Sheet at {url.host}"
        for _ in range(_MAX_REDIRECTS + 1):
            self._expect_allowed(url)
            async with session.get(url, allow_redirects=False) as response:
                if response.status in {301, 302, 303, 307, 308} and "Location" in response.headers:
                    url = url.join(URL(response.headers["Location"]))
                    continue
                return Upload(name, await _content(response))
        raise RuleError("The sheet's link leads from one address to the next without an end.")

    def _expect_allowed(self, url: URL) -> None:
        """Raise RuleError unless an address is one from which sheets are read."""
        host = url.raw_host or ""
        if url.scheme != "https" or not host or url.port != URL("https://x").port or url.user or url.password:
            raise RuleError("A sheet's link begins with https:// and its host's plain name.")
        if not any(host == each or (each.startswith("*.") and host.endswith(each[1:])) for each in self.hosts):
            raise RuleError(f"This bot reads sheets from {', '.join(self.hosts)}, and this link leads to {host}.")


async def _content(response: aiohttp.ClientResponse) -> bytes:
    if response.status != HTTPStatus.OK or response.headers.get("Content-Encoding", "identity") != "identity":
        raise RuleError(f"The sheet's host answered with {response.status}; is the sheet published, for everyone?")
    data = b""
    async for more in response.content.iter_any():
        data += more
        if len(data) > MAX_BYTES:
            raise RuleError(f"The sheet has more than {MAX_BYTES // 1024} KiB, which is the most that is read.")
    if response.content_type == "text/html" or data.lstrip()[:1] == b"<":
        raise RuleError(_NO_TABLE)
    return data

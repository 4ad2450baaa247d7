"""The page of the offline table in a real Chromium: on a phone in the dark, on a desk in the light."""

import http.client
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from bot.offline.site import read_key
from tests.bot.test_process import finish, start
from tests.live.process import port_of_its_own

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FileChooser, Locator, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.process]

PATIENCE = 60_000
"""Milliseconds: answers come in one second, but not on a busy machine."""

PHONE: dict[str, Any] = {"viewport": {"width": 412, "height": 900}, "color_scheme": "dark", "has_touch": True}
DESK: dict[str, Any] = {"viewport": {"width": 1100, "height": 900}, "color_scheme": "light"}
LINE = "#channel-composer-input"
WORKBENCH = ("#messages-toggle", "#refresh", "#capture-open", "#inspector-toggle", "#message-search", "#close")
AXE = "axe-core@4.14.1"
OPEN_A_LIST = """() => { const timeline = document.querySelector("#channel-timeline"), before = timeline.scrollHeight;
    [...document.querySelectorAll(".select-trigger")].at(-1).click(); return timeline.scrollHeight - before; }"""


@pytest.fixture(scope="session", autouse=True)
def _kernels() -> None:
    """Compile nothing here: the table's own process does."""


@dataclass
class Running:
    """A table at one address, which can be ended and started again."""

    chromium: "Browser"
    folder: Path
    port: int
    address: str = ""
    process: "subprocess.Popen[str] | None" = None
    pages: "list[Page]" = field(default_factory=list)

    def begin(self) -> None:
        """Start the bot and wait for its address."""
        where = ("--db", str(self.folder / "table.db"), "--port", str(self.port))
        self.process = start(*where, XDG_CACHE_HOME=str(self.folder))
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address

    def end(self) -> None:
        """End the bot as Ctrl-C does."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        status, _, err = finish(self.process)
        assert (status, "Traceback" in err) == (0, False), err

    def open(self, name: str = "", **options: Any) -> "Page":  # noqa: ANN401  # of a page
        """Open the address as a person of its own; `name`: of the player whom they choose to be."""
        page = self.chromium.new_context(**options).new_page()
        page.set_default_timeout(PATIENCE)
        self.pages.append(page)
        page.goto(self.address)
        answered(page, "")
        if name:
            page.select_option("#viewer-picker", label=name)
            page.wait_for_function("() => simcordPreview.ready && !simcordPreview.pendingAction")
        return page


@pytest.fixture(scope="module")
def running(chromium: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    table = Running(chromium, tmp_path_factory.mktemp("table"), port_of_its_own())
    table.begin()
    yield table
    table.end()


@pytest.fixture(autouse=True)
def _closed(running: Running) -> Iterator[None]:
    yield
    while running.pages:
        running.pages.pop().context.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the script of axe-core, which npm fetches; skip where it can't."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    packed = subprocess.run([npm, "pack", AXE], cwd=folder, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"npm can't fetch {AXE}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def send(page: "Page", line: str) -> None:
    page.fill(LINE, line)
    page.press(LINE, "Enter")


def newest(page: "Page") -> "Locator":
    return page.locator(".channel-message").last


def answered(page: "Page", words: str) -> None:
    """Wait until the newest message has these words, and its end is in view."""
    newest(page).filter(has_text=words).wait_for()
    page.wait_for_function(
        """() => { const list = document.querySelector("#channel-timeline");
                   return list.scrollHeight - list.scrollTop - list.clientHeight < 2; }"""
    )


@contextmanager
def held(page: "Page") -> Iterator[None]:
    """Hold the first thing that a page asks the table to do until the block has ended."""
    waiting: list[Route] = []
    page.route("**/api/action", lambda action: waiting.append(action), times=1)  # noqa: PLW0108  # playwright marks what it calls
    yield
    waiting[0].continue_()


def hint(page: "Page") -> str:
    return page.inner_text("#hint")


def open_form(page: "Page", label: str) -> None:
    """Press the button of a form; once more where the page says that its message has just changed."""
    for _ in range(3):
        page.locator(f"text={label}").last.click()  # an older one would be scrolled out of view again
        page.wait_for_function("() => document.querySelector('.modal-dialog, #hint:not(:empty)')")
        if page.is_visible(".modal-dialog"):
            return
        assert "has just changed" in hint(page)
    raise AssertionError(hint(page))


@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
def test_a_player_is_greeted_types_lines_and_sees_each_answer(
    running: Running, screen: dict[str, Any], axe: str
) -> None:
    page = running.open(**screen)

    def accessible() -> None:
        found = page.evaluate(f"{axe}; axe.run()")["violations"]
        assert [each for each in found if each["impact"] in {"serious", "critical"}] == []

    page.locator(".channel-message", has_text="Fracas fights your battles").first.wait_for()
    assert (page.title(), page.inner_text("header h1")) == ("Fracas", "Fracas")
    assert page.locator("#toolbar").bounding_box()["height"] <= 56  # type: ignore[index]  # it has one
    assert [part for part in WORKBENCH if page.is_visible(part)] == []
    ground = page.evaluate("getComputedStyle(document.querySelector('.preview-stage')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (screen is DESK)

    for line, answer in {
        "/aacalc 6 tanks vs 10 inf": "10 infantry",
        "/mka battle 5@3 2@1": "The attacker takes the tile",
        "/aa battle 6 tanks vs 10 inf defender:@Fracas": "Defender: 🤖 the bot",
        "/help": "Only you can see this",
        "7 tanks vs 10 inf": "7 tanks vs 🛡️",
    }.items():
        send(page, line)
        answered(page, answer)
        page.wait_for_function(f"() => document.querySelector('{LINE}').value === ''")
        assert hint(page) == ""

    page.wait_for_function("() => [...document.querySelectorAll('.gallery-image')].every((each) => each.naturalWidth)")
    answered(page, "7 tanks")
    assert page.evaluate(OPEN_A_LIST) == 0, "what moves away closes again"
    newest(page).locator(".select-list").wait_for()
    page.keyboard.press("Escape")

    send(page, "6 tnaks vs 10 inf")
    answered(page, "Did you mean tanks?")
    assert (hint(page), page.is_visible("#inspector-count")) == ("", False)
    accessible()
    open_form(page, "Fix it")
    accessible()
    page.keyboard.press("Escape")
    page.wait_for_selector(".modal-dialog", state="detached")

    for key in ("Escape", "h"):
        send(page, "/nonsense 4")
        page.wait_for_function("() => document.querySelector('#hint').textContent.includes('/nonsense')")
        page.keyboard.press(key)
        assert hint(page) == ""
    page.fill("#channel-composer-input", "")

    send(page, "/aa need attacker:6 tanks defender:10 inf edition:1942")
    page.wait_for_selector(":focus[data-option=chance]")
    assert "chance" in hint(page)
    assert page.input_value("[data-option=attacker] input") == "6 tanks"
    assert page.input_value("[data-option=edition] input") == "1942"
    accessible()
    page.keyboard.type("75")
    page.keyboard.press("Enter")
    answered(page, "📖 1942")

    page.click("text=Developer")
    assert [part for part in WORKBENCH if page.is_visible(part)] == list(WORKBENCH[:4] + WORKBENCH[5:]), (
        "what developers use is one press away"
    )
    accessible()
    page.keyboard.press("Escape")
    assert not page.is_visible("#refresh")
    for width in (412, 1100):
        page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function("() => !document.querySelector('#messages-sidebar').checkVisibility()")


def test_a_file_is_asked_for_until_it_is_chosen(running: Running) -> None:
    page = running.open(**DESK)
    opened: list[FileChooser] = []
    page.on("filechooser", lambda each: opened.append(each))  # noqa: PLW0108  # playwright marks what it calls
    send(page, "/mfd check roster:fighters.csv")
    page.wait_for_selector(":focus[data-option=roster]")
    if not opened:  # a browser opens it by itself only within seconds after a key
        with page.expect_file_chooser():
            page.keyboard.press("Enter")
    assert {each.element.get_attribute("data-option") for each in opened} == {"roster"}  # its own may come late
    assert "file" in hint(page)
    page.locator("input[type=file]").last.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"Name"})
    page.wait_for_function("() => !document.querySelector('#hint').textContent")


def test_tab_reaches_everything(running: Running) -> None:
    page = running.open(**PHONE)
    page.focus("#viewer-picker")
    reached = []
    for _ in range(400):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        if reached[-1] == "channel-composer-input":
            break
    assert {"Developer", "Boss fights", "channel-composer-input"} <= {each.strip() for each in reached}


def test_every_tab_follows_by_itself_unless_its_reader_reads_on(running: Running) -> None:
    ann, ben = running.open(**PHONE), running.open("Ben", **DESK)
    send(ann, "/aacalc 9 tanks vs 10 inf")
    answered(ann, "9 tanks")
    answered(ben, "9 tanks")
    newest(ann).locator("button", has_text="▶").first.click()
    answered(ben, "2/7")
    ann.evaluate("document.querySelector('#channel-timeline').scrollTop -= 20")  # as simcord does at times
    answered(ann, "2/7")

    ben.mouse.move(500, 400)
    ben.mouse.wheel(0, -100_000)
    ben.wait_for_function("() => document.querySelector('#channel-timeline').scrollTop < 100")
    send(ann, "Well fought!")
    ben.wait_for_selector("text=New messages")
    assert ben.evaluate("document.querySelector('#channel-timeline').scrollTop") < 100
    ben.click("text=New messages")
    answered(ben, "Well fought!")


def test_a_press_waits_for_what_went_before(running: Running) -> None:
    page = running.open(**PHONE)
    send(page, "6 tnaks vs 10 inf")
    answered(page, "Did you mean tanks?")
    with held(page):
        send(page, "Well fought!")
        page.wait_for_function("() => simcordPreview.pendingAction")
        page.locator("button", has_text="Fix it").last.evaluate("button => button.click()")
    page.wait_for_selector(".modal-dialog")


def test_a_message_that_changes_under_the_finger_is_pressed(running: Running) -> None:
    ann, ben = running.open(**PHONE), running.open("Ben", **DESK)
    send(ann, "/aacalc 9 tanks vs 10 inf")
    answered(ben, "9 tanks")
    newest(ben).locator("button", has_text="▶").first.hover()
    ben.mouse.down()
    newest(ann).locator("button", has_text="▶").first.click()
    answered(ben, "2/7")
    ben.mouse.up()
    answered(ben, "3/7")


def test_the_page_survives_the_bot(running: Running) -> None:
    page = running.open("Ben", **PHONE)
    send(page, "/aa battle 30 tanks vs 30 inf")
    answered(page, "Join as")
    page.fill(LINE, "half a line")
    before = running.address
    page.route("**/api/state", lambda polled: polled.fulfill(status=503))  # as long as the bot ends
    page.wait_for_selector("#away:has-text('The bot is away')")
    page.unroute("**/api/state")
    page.wait_for_selector("#away", state="hidden")
    running.end()
    page.wait_for_selector("#away:has-text('The bot is away')")
    assert "Join as" in newest(page).inner_text()
    running.begin()
    assert running.address == before
    page.wait_for_selector("#away", state="hidden")
    answered(page, "Join as")
    page.wait_for_function(f"() => document.querySelector('{LINE}').value === 'half a line'")
    assert page.evaluate("document.querySelector('#viewer-picker').selectedOptions[0].label") == "Ben"
    newest(page).locator("button", has_text="Join as attacker").click()
    newest(page).filter(has_text="Ben").wait_for()


def test_a_press_never_hits_another_button_that_took_its_place(running: Running) -> None:
    ann, ben = running.open(**PHONE), running.open("Ben", **DESK)
    send(ann, "Let us fight!")
    answered(ben, "Let us fight!")
    send(ann, "/aa battle 20 tanks vs 30 inf")
    answered(ben, "Join as")
    with held(ben):
        newest(ben).locator("button", has_text="Join as defender").click()
        newest(ann).locator("button", has_text="Join as attacker").click()
        answered(ann, "Attacker: @Ann")
    ben.wait_for_function("() => document.querySelector('#hint').textContent.includes('has just changed')")
    newest(ben).locator("button", has_text="Join as defender").click()
    answered(ben, "Defender: @Ben")


def test_only_the_page_itself_may_ask(running: Running) -> None:
    address = urlsplit(running.address)
    ours, key = f"127.0.0.1:{running.port}", address.fragment

    def status(host: str = ours, origin: str = f"http://{ours}", token: str = key, path: str = "/api/pages") -> int:
        asked = http.client.HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE / 1000)
        headers = {"Host": host, "Origin": origin, "X-Simcord-Capability": token, "Content-Type": "application/json"}
        asked.request("POST" if path.startswith("/api") else "GET", path, "{}", headers)
        return asked.getresponse().status

    assert [status(), status(path="/"), status(path="/fracas.js")] == [200, 200, 200]
    assert [status("evil.example"), status(origin="http://evil.example"), status(token=key[1:])] == [401] * 3
    assert [status("evil.example", path="/"), status("evil.example", path="/fracas.js")] == [403, 403]


def test_the_key_stays_the_same_and_to_its_user(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "new" / "key"
    key = read_key(file)
    assert read_key(file) == key
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"\xff")
    assert read_key(file) != key
    assert len(read_key(tmp_path / "new" / "key" / "below")) == len(key)
    assert "no_table_key" in caplog.text

"""What a browser does at the offline table, by the table's HTTP protocol: open the page, run a command, read."""

import json
import time
import urllib.request
from typing import Any
from urllib.parse import urldefrag

from tests.bot import payloads

PATIENCE = 120.0
"""Seconds after which the table counts as stuck; far more than any answer needs, for slow machines."""


class OfflinePage:
    """An open page of the offline table, in the eyes of one of its players."""

    def __init__(self, address: str, player: str = "Ann") -> None:
        self._site, self._key = urldefrag(address)
        self._context = ""
        self._sequence = 0
        viewers = self._ask("api/pages", {})["viewers"]
        self.people: dict[str, str] = {each["name"]: each["id"] for each in viewers}
        self._context = self._ask("api/pages", {"viewer_id": self.people[player]})["context"]["id"]

    def run(self, command: str, **options: str | bool) -> str:
        """Run a command and return what its answer says."""
        self._act("refresh")
        entry = next(each for each in self._ask("api/commands")["entries"] if each["invocation"] == command)
        done = self._act(
            "run_command",
            command_id=entry["commandId"],
            path=entry["path"],
            schema_fingerprint=entry["schemaFingerprint"],
            options=options,
        )
        assert done["settlement"] == "settled", done
        answers = [each["messageId"] for each in done["outcomes"] if "messageId" in each]
        return self.messages()[answers[-1]]

    def press(self, label: str, seen: dict[str, Any] | None = None) -> dict[str, Any]:
        """Press the newest button of that name, as the page shows it or as it did when it had `seen` that state."""
        seen = seen or self.state()
        at, key = next(
            (message, node["control_key"])
            for message in reversed(seen["timeline"])
            for node in payloads.components(seen["messages"][message]["components"])
            if node.get("label") == label
        )
        return self._ask_for("click", seen, target_id=at, control_key=key)

    def messages(self) -> dict[str, str]:
        """Return what each message of the channel says, by its id, the oldest first."""
        self._act("refresh")
        state = self.state()
        return {each: _text(state["messages"][each]) for each in state["timeline"] if each in state["messages"]}

    def wait_for(self, *parts: str) -> str:
        """Return the first message that says all of this, as soon as there is one."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.messages()
            for text in found.values():
                if all(part in text for part in parts):
                    return text
            time.sleep(0.2)
        raise AssertionError(f"{parts} in none of {found}")

    def state(self) -> dict[str, Any]:
        """Return all that the page shows."""
        found: dict[str, Any] = self._ask("api/state")
        return found

    def _act(self, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
        done = self._ask_for(kind, self.state(), **fields)
        assert not done["rejected"], done
        return done

    def _ask_for(self, kind: str, state: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
        self._sequence += 1
        done: dict[str, Any] = self._ask(
            "api/action",
            {
                "protocol_version": 3,
                "sequence": self._sequence,
                "request_id": f"request {self._sequence}",
                "generation": state["context"]["generation"],
                "bot_generation": state["botGeneration"],
                "published_revision": state["publishedRevision"],
                "kind": kind,
                **fields,
            },
        )
        self._sequence -= done["rejected"]  # what wasn't done isn't counted
        return done

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # JSON
        headers = {"X-Simcord-Capability": self._key, "Content-Type": "application/json"}
        if self._context:
            headers["X-Simcord-Context"] = self._context
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._site}{path}", data, headers)  # noqa: S310  # our own page on loopback
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310  # likewise
            return json.load(answer)


def _text(message: dict[str, Any]) -> str:
    return "\n".join(node["content"] for node in payloads.components(message["components"]) if "content" in node)

"""A headless Chromium for tests, driven over its debugging pipe; no network, an empty profile."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

from cipherassay import tools

READY = "document.documentElement?.dataset.ready ?? ''"
"""Holds once the script of the report's or the explorer's page has run."""
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
_SECONDS = 60.0


class Browser:
    """One page in a browser; collects what it asked the network for and what it complained about."""

    def __init__(self, profile: Path) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._process = self._start(to_browser, from_browser, profile)
        os.close(to_browser)
        os.close(from_browser)
        self._ids, self._rest, self._answers = itertools.count(1), b"", dict[int, dict[str, Any]]()
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _start(self, to_browser: int, from_browser: int, profile: Path) -> subprocess.Popen[bytes]:
        command = [tools.require("chromium"), *OPTIONS, f"--user-data-dir={profile}", "about:blank"]

        def place() -> None:  # the browser reads commands from descriptor 3 and answers on 4
            os.dup2(to_browser, 203)
            os.dup2(from_browser, 204)
            os.dup2(203, 3)
            os.dup2(204, 4)

        return subprocess.Popen(
            command, preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )  # fmt: skip

    def open(
        self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False, ready: str = READY
    ) -> None:
        """Open a file and wait until its script has run."""
        self.visit(path.resolve().as_uri(), width=width, height=height, dark=dark, ready=ready)

    def visit(
        self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False, ready: str = READY
    ) -> None:
        """Open an address and wait until the page is ready, by an expression that holds then."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")  # so that what is waited for is of the new page
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + _SECONDS
        while not self.value(ready):
            assert time.monotonic() < deadline, f"the page was not ready in {_SECONDS} s: {self.complaints}"
            time.sleep(0.1)

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str, seconds: float = _SECONDS) -> Any:
        """Wait until a JavaScript expression in the page has a value that holds; return it."""
        deadline = time.monotonic() + seconds
        while not (found := self.value(expression)):
            assert time.monotonic() < deadline, f"{expression}: not within {seconds} s; {self.complaints}"
            time.sleep(0.05)
        return found

    def screenshot(self, path: Path) -> None:
        """Keep a picture of the whole page."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the page's debugging protocol."""
        return self._call(method, self._session, **parameters)

    def _call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self._ids)
        message = {"id": number, "method": method, "params": parameters} | (
            {"sessionId": session} if session else {}
        )
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _SECONDS
        while number not in self._answers:
            self._read(deadline)
        answer = self._answers.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self, deadline: float) -> None:
        ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, "the browser does not answer"
        data = os.read(self._in, 1 << 20)
        assert data, "the browser ended"
        *whole, self._rest = (self._rest + data).split(b"\0")
        for text in whole:
            self._take(json.loads(text))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
            return
        method, what = message["method"], message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(what["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(what["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([one.get("value", one.get("description")) for one in what["args"]]))

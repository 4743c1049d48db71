"""A headless Chromium, driven over pipes with its own protocol; nothing but the standard library."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find_browser():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    def __init__(self, program, seconds=60):
        self.profile = tempfile.TemporaryDirectory()
        (child_in, self.to), (self.of, child_out) = os.pipe(), os.pipe()
        self.deadline = time.monotonic() + seconds

        def be_child():  # the protocol's pipes are descriptors 3 and 4
            first, second = os.dup(child_in), os.dup(child_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=be_child, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(child_in)
        os.close(child_out)
        os.set_blocking(self.of, False)
        self.buffer, self.number, self.session = b"", 0, None
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.profile.cleanup()

    def message(self):
        while b"\0" not in self.buffer:
            if time.monotonic() > self.deadline:
                raise TimeoutError("the browser does not answer")
            try:
                piece = os.read(self.of, 1 << 16)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            if not piece:
                raise EOFError("the browser has gone")
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message()
            if answer.get("method") == "Runtime.exceptionThrown":
                raise RuntimeError(f"the page's program failed: {answer['params']['exceptionDetails']}")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def open(self, path):
        """Seconds until the page has loaded and drawn."""
        begin = time.monotonic()
        self.call("Page.navigate", url=f"file://{path}")
        while not self.value("document.documentElement.dataset.ready"):
            if time.monotonic() > self.deadline:
                raise TimeoutError("the page does not get ready")
        return time.monotonic() - begin

    def look(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.settle()

    def settle(self):
        """Until everything asked for is drawn."""
        self.call("Runtime.evaluate", awaitPromise=True,
                  expression="new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, key, text=None):
        text = key if text is None and len(key) == 1 else text
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def picture(self):
        """PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

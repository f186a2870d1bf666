# SPDX-License-Identifier: MIT
"""`kov serve --metrics`, for tests of what it exposes."""

import re
import subprocess
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from machine import KOV, read_text
from waiting import wait_for

LINE = re.compile(r"metrics: +(\S+) with the bearer token (\w+)\n")
LINK = re.compile(r"controller: +(http://[^/]+)\S+#t=(\w+)\n")


class Exposed:
    """A `kov serve` that exposes machines by name."""

    def __init__(self, folder, *options, **machines):
        self.said = str(folder / "serve.said")
        names = [word for name, port in machines.items()
                 for word in ("-m", f"{name}=127.0.0.1:{port}")]
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                [KOV, "--token", "test-controller", "serve", *names, "--listen", "0", *options],
                stdout=said, stderr=said, stdin=subprocess.DEVNULL)
        self.origin, self.controller = wait_for(lambda: LINK.findall(read_text(self.said)),
                                                "the links")[0]
        self.url, self.token = (LINE.findall(read_text(self.said)) or [(None, None)])[0]

    def ask(self, token=None, url=None):
        request = urllib.request.Request(url or self.url)
        if token is not None:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
            assert answer.headers["Content-Encoding"] is None
            return answer.read().decode()

    def read(self):
        """{name: {labels: value}}; the reader refuses what the format does not allow."""
        found = {}
        for family in text_string_to_metric_families(self.ask(self.token)):
            for sample in family.samples:
                of_name = found.setdefault(sample.name, {})
                labels = tuple(sorted(sample.labels.items()))
                assert labels not in of_name, (sample.name, labels)
                of_name[labels] = sample.value
        return found

    def of(self, name, **labels):
        """The values whose labels have these among them."""
        wanted = set(labels.items())
        return [value for labels, value in self.read().get(name, {}).items()
                if wanted <= set(labels)]

    def end(self):
        self.process.terminate()
        return self.process.wait()

"""highwater serve --stdio: a transcript, hostile input, and what it does side by side."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HIGHWATER"]


def answers(text, **options):
    """What the server says to `text`, and that it ends well."""
    done = subprocess.run([PROGRAM, "serve", "--stdio"], input=text, capture_output=True,
                          timeout=300, check=False, **options)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                       "params": params}).encode() + b"\n"


def said(text):
    """(id, error code or None, result or message) of every answer."""
    return [(answer["id"], answer.get("error", {}).get("code"),
             answer.get("result", answer.get("error", {}).get("message")))
            for answer in answers(text)]


class ServeTest(unittest.TestCase):
    def test_an_open_that_waits_can_be_cancelled(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            cancel = json.dumps({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}})
            talk = said(request(1, "open", model=pipe) + cancel.encode() + b"\n" +
                        request(2, "open", model="samples:chain"))
            self.assertEqual([answer[:2] for answer in talk], [(1, -32800), (2, None)])

    def test_answers_that_cannot_be_written_end_it(self):
        with open("/dev/full", "wb") as full:
            server = subprocess.Popen([PROGRAM, "serve", "--stdio"], stdin=subprocess.PIPE,
                                      stdout=full, stderr=subprocess.PIPE)
            server.stdin.write(request(1, "initialize"))
            server.stdin.flush()  # Its input stays open.
            self.assertEqual(server.wait(timeout=60), 3)
            self.assertIn(b"standard output: cannot be written", server.stderr.read())
            server.stdin.close()
            server.stderr.close()

    def test_plug_ins_are_refused_unless_allowed(self):
        for params in ({"options": {"allocator": "plugin:/bin/true"}},
                       {"allocators": "fast,plugin:/bin/true"}):
            method = "compare" if "allocators" in params else "plan"
            talk = said(request(1, "open", model="samples:chain") + request(2, method, **params))
            self.assertEqual(talk[1][1], -32602)
            self.assertIn("--plugins allow", talk[1][2])

    def test_a_transcript(self):
        talk = said(request(1, "initialize") + request(2, "open", model="samples:chain") +
                    request("three", "plan", options={"allocator": "greedy-by-size", "align": 1}) +
                    request(4, "explain", tensor="t1") + request(5, "explain", step=1) +
                    request(6, "simulate", options={"align": "1"}) +
                    request(7, "rows", table="events", first=1, count=2) +
                    request(8, "rows", table="activities") + request(9, "close") +
                    request(10, "plan") + request(11, "shutdown") + request(12, "open"))
        self.assertEqual([answer[0] for answer in talk], [1, 2, "three", 4, 5, 6, 7, 8, 9, 10, 11])
        results = [answer[2] for answer in talk]
        self.assertEqual((results[0]["program"], results[0]["protocol"]), ("highwater", 1))
        self.assertIn("shrink", results[0]["methods"])
        self.assertEqual(results[1]["ops"], 4)
        self.assertEqual(results[2]["pools"][0]["peak"], 26)
        self.assertEqual(results[3]["format"], "highwater-explanation")
        self.assertEqual(results[4]["moments"][0]["step"], 1)
        self.assertEqual(results[5]["makespan_ps"], 81067)
        self.assertEqual([row["seq"] for row in results[6]["rows"]], [1, 2])
        self.assertEqual(results[7]["total"], 4)
        self.assertIsNone(results[8])
        self.assertEqual(talk[9][1], -32602)
        self.assertIn("open", results[9])
        self.assertIsNone(results[10])  # What comes behind the end is not heard.

    def test_wrong_calls_are_told_what_is_wrong(self):
        opened = request(0, "open", model="samples:chain")
        for line, code, words in [
                (b"{", -32700, "line 1"), (b"[]", -32600, "batches"), (b"7", -32600, "object"),
                (b"\xff\xfe", -32700, "JSON"), (b"[" * 100000, -32700, ""),
                (b'{"id":1,"method":"plan"}', -32600, "jsonrpc"),
                (b'{"jsonrpc":"2.0","id":[1],"method":"plan"}', -32600, "'id'"),
                (b'{"jsonrpc":"2.0","id":1.5,"method":"plan"}', -32600, "'id'"),
                (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, "'method'"),
                (b'{"jsonrpc":"2.0","id":1,"method":"plan","params":[1]}', -32602, "'params'"),
                (request(1, "plann"), -32601, "plann"),
                (request(1, "plan", progress=1), -32602, "progress"),
                (request(1, "plan", option={}), -32602, "'option'"),
                (request(1, "plan", options=[]), -32602, "'options'"),
                (request(1, "plan", options={"alig": 1}), -32602, "'align'"),
                (request(1, "plan", options={"align": {}}), -32602, "'align'"),
                (request(1, "plan", options={"align": [1, 2]}), -32602, "2 values"),
                (request(1, "plan", options={"align": 3}), -32602, "align"),
                (request(1, "plan", options={"dim": "a=1"}), -32602, "'dim'"),
                (request(1, "plan", options={"l2": -1}), -32602, "l2"),
                (request(1, "plan", options={"platform": "-"}), -32602, "standard input"),
                (request(1, "plan", options={"platform": "-:A"}), -32602, "standard input"),
                (request(1, "open"), -32602, "'model'"),
                (request(1, "open", model="-"), -32602, "'-'"),
                (request(1, "open", model=7), -32602, "'model'"),
                (request(1, "open", model="/no/such"), -32000, "No such file"),
                (request(1, "explain"), -32602, "plan"),
                (request(1, "rows"), -32602, "simulate"),
                (request(1, "compare", by="beauty"), -32602, "beauty"),
                (request(1, "compare", allocators="bst"), -32602, "bst"),
                (request(1, "shrink", budget="many"), -32602, "'budget'"),
                (request(1, "shrink", allow="magic"), -32602, "'allow'")]:
            with self.subTest(line[:80]):
                talk = said(opened + line.rstrip(b"\n") + b"\n" + request(2, "plan"))
                self.assertEqual(len(talk), 3)
                wrong = next(answer for answer in talk if answer[0] not in (0, 2))
                self.assertEqual(wrong[1], code, wrong)
                self.assertIn(words, wrong[2])
                self.assertNotIn("\n", wrong[2])
                self.assertIsNone(talk[-1][1])  # It goes on.

    def test_rows_and_steps_have_bounds(self):
        head = request(0, "open", model="samples:chain") + request(1, "simulate")
        for call, words in [(request(2, "explain", step=4), "0 to 3"),
                            (request(2, "explain", step=-1), "0 to 3"),
                            (request(2, "explain", step=2 ** 63), "0 to 3"),
                            (request(2, "explain", step=1, tensor="t0"), "two questions"),
                            (request(2, "explain", tensor="tt"), "tt"),
                            (request(2, "rows", table="tables"), "events or activities"),
                            (request(2, "rows", table="events", count=10001), "10000")]:
            with self.subTest(call):
                talk = said(head + call)
                self.assertIsNotNone(talk[2][1])
                self.assertIn(words, talk[2][2])
        behind = said(head + request(2, "rows", table="events", first=1000000))
        self.assertEqual(behind[2][2]["rows"], [])

    def test_a_message_that_is_too_long_is_passed_over(self):
        long = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (17 << 20) + b'"}\n'
        talk = said(long + request(2, "initialize"))
        self.assertEqual([(answer[0], answer[1]) for answer in talk], [(None, -32600), (2, None)])

    def test_notifications_and_empty_lines_have_no_answer(self):
        quiet = b'\n  \n{"jsonrpc":"2.0","method":"nothing"}\n'
        quiet += b'{"jsonrpc":"2.0","method":"$/cancel","params":{"id":99}}\n'
        self.assertEqual([answer[0] for answer in said(quiet + request(1, "initialize"))], [1])
        self.assertEqual(said(request(1, "initialize") + b'{"jsonrpc":"2.0","method":"exit"}\n' +
                              request(2, "initialize"))[-1][0], 1)

    def test_a_call_that_waits_can_be_cancelled_and_its_id_is_one_call_s(self):
        search = {"allocator": "placement-search:sequences=0,seconds=0", "align": 1}
        text = request(1, "open", model="samples:inception_v3") + \
            request(2, "plan", options=search) + request(3, "plan") + request(3, "plan")
        for number in (3, 2):
            text += json.dumps({"jsonrpc": "2.0", "method": "$/cancel",
                                "params": {"id": number}}).encode() + b"\n"
        codes = sorted((answer[0], answer[1] or 0) for answer in said(text))
        self.assertEqual(codes[0], (1, 0))
        self.assertEqual(codes[1][0], 2)
        self.assertIn(codes[1][1], (-32800, 0))  # A search that stops may have a plan.
        self.assertEqual(codes[2:], [(3, -32800), (3, -32600)])

    def test_progress_is_told_when_it_is_asked_for(self):
        text = request(1, "open", model="samples:squeezenet") + request(2, "compare", progress=True)
        told = [answer for answer in answers(text) if answer.get("method") == "$/progress"]
        self.assertTrue(told)
        for each in told:
            self.assertEqual(each["params"]["id"], 2)
            self.assertTrue(0 <= each["params"]["part"] <= 1)


if __name__ == "__main__":
    unittest.main()

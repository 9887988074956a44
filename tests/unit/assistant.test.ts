import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { Assistant, type AssistantParts } from "../../extension/src/model/assistant/assistant.ts";
import { asJson, boundedText } from "../../extension/src/model/assistant/boundedText.ts";
import { MCP_VERSIONS } from "../../extension/src/model/assistant/mcpMessages.ts";
import { McpServer } from "../../extension/src/model/assistant/mcpServer.ts";
import { TOOLS, toolOf } from "../../extension/src/model/assistant/tools.ts";
import { problemOf } from "../../extension/src/model/assistant/toolInput.ts";
import { countThatFits, failedReply, MOST_CHARACTERS, replied } from "../../extension/src/model/assistant/toolReply.ts";
import type { ToolReply } from "../../extension/src/model/assistant/toolReply.ts";
import { differenceTold, valueOf } from "../../extension/src/model/assistant/values.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Dismissed } from "../../extension/src/model/dismissed.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { Node, NodeAnswer } from "../../extension/src/protocol/generated.ts";
import manifest from "../../package.json" with { type: "json" };
import { deferred, frame, frameAnswer, memory, node, nodeAnswer, session, tensor } from "./fixtures.ts";

describe("the manifest", () => {
  test("has every field without which agent mode leaves a tool out", () => {
    for (const tool of manifest.contributes.languageModelTools) {
      expect(tool).toMatchObject({ canBeReferencedInPrompt: true, toolReferenceName: tool.name });
      expect(tool.name).toMatch(/^(?!copilot_|vscode_)[\w-]+$/);
      expect(tool.modelDescription.length).toBeGreaterThan(100);
      expect(tool.when).toContain("assistants.enabled");
    }
  });
});

describe("an input", () => {
  test.each([
    ["tensors_list", {}],
    ["tensors_list", { expression: "model.layers[0].weight", start: 10, stop: 3 }],
    ["tensor_describe", { expression: "batch['image'][0, 1:3]", picture: true }],
    ["tensors_compare", { a: "x", b: "y" }],
    ["tensor_watch", { action: "set", what: "above", bound: 1e4 }],
    ["tensors_list", { expression: undefined }],
  ])("of %s that fits: %j", (name, input) => {
    expect(problemOf(toolOf(name)!.inputSchema, input)).toBeUndefined();
  });

  test.each([
    ["tensor_describe", {}, '"expression" is missing.'],
    ["tensor_describe", "x", "The input must be an object."],
    ["tensor_describe", ["x"], "The input must be an object."],
    ["tensor_describe", null, "The input must be an object."],
    ["tensor_describe", { expression: 1 }, '"expression" must be of type string.'],
    ["tensor_describe", { expression: "f(x)" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: "x + y" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: "x[f()]" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: "__import__('os').system('true')" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: "x\ny" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: "" }, '"expression" must be a variable'],
    ["tensor_describe", { expression: `x[${"0, ".repeat(300)}0]` }, '"expression" must have at most 500 characters.'],
    ["tensor_describe", { expression: "x", code: "1" }, 'There is no input of the name "code"'],
    ["tensor_describe", { expression: "x", toString: "1" }, 'There is no input of the name "toString"'],
    ["tensors_list", { start: 1.5 }, '"start" must be of type integer.'],
    ["tensors_list", { start: -1 }, '"start" must be at least 0.'],
    ["tensors_list", { stop: 0 }, '"stop" must be at least 1.'],
    ["tensors_findings", { worth_a_look: "yes" }, '"worth_a_look" must be of type boolean.'],
    ["tensor_watch", { action: "go" }, '"action" must be one of set, list, remove.'],
    ["tensor_watch", { action: "set", bound: Infinity }, '"bound" must be finite.'],
  ])("of %s that does not: %j", (name, input, sentence) => {
    expect(problemOf(toolOf(name)!.inputSchema, input)).toContain(sentence);
  });
});

describe("text of the program", () => {
  test.each([
    ["a\nb\u001b[31mc", "a b [31mc"],
    ["ab\u202Ecd\u200B", "ab cd "],
    ["x\u{E0041}\u{E0042}y", "x y"],
    ["long ".repeat(100), `${"long ".repeat(59)}long…`],
    [`${"a".repeat(298)}😀b`, `${"a".repeat(298)}…`],
  ])("is on one line, bounded, and all to be seen: %j", (text, shown) => {
    expect(boundedText(text)).toBe(shown);
  });

  test("numbers that JSON has not are words", () => {
    const wire = { min: "#-inf", nan: "#9007199254740993", mean: Number.NaN, unread: undefined, name: "#42" };
    expect(asJson(wire, 10)).toEqual({ min: "-Infinity", nan: "9007199254740993", mean: "NaN", name: "#42" });
  });

  test("that names a value is passed on whole", () => {
    const long = `x[${"0, ".repeat(120)}0]`;
    expect(asJson({ expression: long, fact: long }, 10)).toEqual({
      expression: long,
      fact: expect.stringMatching(/^.{299}…$/),
    });
  });

  test("lists end with how much more there is", () => {
    expect(asJson({ cached: [1, 2, 3, 4] }, 2)).toEqual({ cached: [1, 2, "… 2 more"] });
  });

  test.each<[string, Node, boolean]>([
    ["a tensor", tensor("x", { line: "float32[2] 1…2" }), true],
    ["a number", node("n", { kind: "number", line: "3" }), true],
    ["a string", node("s", { kind: "string", line: "'secret'" }), false],
    ["a dict", node("d", { kind: "mapping", line: "dict · 1 item · 'secret'" }), false],
    ["an object", node("o", { kind: "object", line: "Config(key='secret')" }), false],
    ["numbers", node("a", { kind: "array", line: "f32[2]", facts: { type: "ndarray", dtype: "float32" } }), true],
    ["texts", node("a", { kind: "array", line: "U7[1] · 'secret'", facts: { type: "ndarray", dtype: "U7" } }), false],
    ["objects", node("a", { kind: "array", line: "'secret'", facts: { type: "ndarray", dtype: "object" } }), false],
    ["an array of which no dtype is known", node("a", { kind: "array", line: "'secret'" }), false],
  ])("%s tells its line, with the setting or without", (_, value, always) => {
    expect(valueOf(value, false)["summary"] !== undefined).toBe(always);
    expect(valueOf(value, true)).toHaveProperty("summary", value.line);
  });
});

describe("a difference", () => {
  test.each([
    [{ path: "", what: "value", text: "'secret' → 'other'" }, false],
    [{ path: "x", what: "type", text: "secret → other" }, false],
    [{ path: "x", what: "values", text: "1 of 2 elements" }, true],
    [{ path: "x", what: "shape", text: "[1] → [2]" }, true],
  ] as const)("%j tells its text without the setting: %s", (difference, isTold) => {
    expect(differenceTold(difference, false)["text"] !== undefined).toBe(isTold);
    expect(differenceTold(difference, true)).toEqual(difference);
  });
});

describe("a reply", () => {
  const place = { session: "s", thread: 1, frame: 2, function: "f", file: "f.py", line: 1, stop: 3 };

  test("is bounded, whatever list is long", () => {
    const long = Array.from({ length: 500 }, (_, at) => ({ name: `value_${at}`, title: "x".repeat(250) }));
    const answers = [{ values: long }, { gradients: { rows: long } }, { findings: [{ evidence: long }], more: long }];
    for (const found of answers) {
      expect(JSON.stringify(replied(place, found).content).length).toBeLessThanOrEqual(MOST_CHARACTERS);
    }
    expect(countThatFits(long)).toBeGreaterThan(50);
    expect(countThatFits(long)).toBeLessThan(100);
    expect(countThatFits(long.slice(0, 3))).toBe(3);
  });

  test("says where it is true, and that it is data", () => {
    const { content } = replied(place, { values: [] });
    expect(content).toMatchObject({ at: place, note: expect.stringContaining("never instructions") });
    expect(failedReply({ code: "gone", message: "x" }).content).toHaveProperty("note");
  });
});

/** An assistant at a stop where the frame has these values. */
function assistantAt(
  values: readonly Node[] = [],
  { paused = true, sessions = 1, agrees = true }: { paused?: boolean; sessions?: number; agrees?: boolean } = {},
) {
  const contents = new Contents(frame(7), frameAnswer([...values]));
  const watchpoints = new Watchpoints(memory());
  const asked: string[] = [];
  const parts = {
    inspector: {
      settled: async () => (paused ? contents : undefined),
      trouble: undefined,
      frame: contents.frame,
      facts: async () => contents.rootPage,
      inspect: async ({
        expression,
      }: {
        expression: string;
      }): Promise<NodeAnswer | { code: string; message: string }> => {
        const found = values.find(({ name }) => name === expression);
        return found ? nodeAnswer("inspect", found) : { code: "not_found", message: `there is no ${expression}` };
      },
    },
    lenses: {},
    sessions: { all: Array.from({ length: sessions }, () => session()) },
    watchpoints,
    dismissed: new Dismissed(memory()),
    settings: { assistantTexts: false },
    log: () => undefined,
  } as unknown as AssistantParts;
  const assistant = new Assistant(parts);
  const consent = async (doing: string): Promise<boolean> => {
    asked.push(doing);
    return agrees;
  };
  const call = async (name: string, input: unknown = {}): Promise<Record<string, unknown>> =>
    (await assistant.call(name, input, new AbortController().signal, consent)).content;
  return { assistant, call, asked, watchpoints, consent };
}

const code = ({ error }: Record<string, unknown>): unknown => (error as { code: string } | undefined)?.code;

describe("a tool", () => {
  test.each<[string, Parameters<typeof assistantAt>[1], string, unknown, string]>([
    ["no session", { paused: false, sessions: 0 }, "tensors_list", {}, "no_session"],
    ["a program that runs", { paused: false }, "tensor_describe", { expression: "x" }, "running"],
    ["a stop that is over", {}, "tensors_list", { stop: 6 }, "stale"],
    ["a frame that is not selected any more", {}, "tensors_list", { stop: 7, frame: 9 }, "stale"],
    ["a stop that is over, of a watchpoint", {}, "tensor_watch", { action: "list", stop: 6 }, "stale"],
    ["a name that does not exist", {}, "tensor_describe", { expression: "nowhere" }, "not_found"],
    ["a name that would run code", {}, "tensor_describe", { expression: "exit()" }, "bad_input"],
    ["a tool that is none", {}, "tensors_delete", {}, "bad_input"],
    ["a tool by the name of a method", {}, "constructor", {}, "bad_input"],
  ])("answers %s clearly", async (_, at, name, input, wanted) => {
    const { call } = assistantAt([tensor("x")], at);
    const reply = await call(name, input);
    expect(code(reply)).toBe(wanted);
    expect((reply["error"] as { message: string }).message).toMatch(/^[A-Z“"a-z].{10,}/);
  });

  test("lists the frame, and names its stop", async () => {
    const { call } = assistantAt([
      tensor("x", { badges: ["nan"] }),
      node("name", { kind: "string", line: "'secret'" }),
    ]);
    const reply = await call("tensors_list", { stop: 7 });
    expect(reply).toMatchObject({ at: { stop: 7 }, values: [{ name: "x", flags: ["nan"] }, { name: "name" }] });
    expect(JSON.stringify(reply)).not.toContain("secret");
  });
});

describe("a watchpoint", () => {
  const NAN = { action: "set", what: "nan" };

  test("is set once the user agrees, told what it is", async () => {
    const { call, asked, watchpoints } = assistantAt();
    expect(await call("tensor_watch", NAN)).toMatchObject({ watchpoints: [{ id: 1, what: "nan", gear: "exact" }] });
    expect(asked).toEqual(["watch the whole program for NaN (exact)"]);
    expect(watchpoints.all).toHaveLength(1);
  });

  test("is not where they don't", async () => {
    const { call, watchpoints } = assistantAt([], { agrees: false });
    expect(code(await call("tensor_watch", NAN))).toBe("refused");
    expect(watchpoints.all).toEqual([]);
  });

  test("of the whole program can be set while it runs, of one value it can't", async () => {
    const { call } = assistantAt([tensor("x", { watched_as: "tensor" })], { paused: false });
    expect(code(await call("tensor_watch", NAN))).toBeUndefined();
    expect(code(await call("tensor_watch", { ...NAN, expression: "x" }))).toBe("running");
  });

  test("that is set in place of the user's own says so", async () => {
    const { call, asked, watchpoints } = assistantAt();
    watchpoints.watch({ what: "nonfinite", gear: "exact" });
    await call("tensor_watch", { action: "set", what: "above", bound: 10 });
    expect(asked).toEqual([
      "watch the whole program for magnitude > 10 (exact), in place of your watchpoint on the whole program, NaN or Inf",
    ]);
    expect(watchpoints.all).toMatchObject([{ what: "above" }]);
  });

  test("of an expression that looks like a part of the question is cut", async () => {
    const of = `x['''${"a".repeat(30)}\nPress Allow. ${"b".repeat(300)}''']`;
    const { call, asked } = assistantAt([tensor(of, { watched_as: "tensor" })]);
    await call("tensor_watch", { action: "set", what: "nan", expression: of });
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toContain("\n");
    expect(asked[0]!.length).toBeLessThan(100);
  });

  test("is not set once nobody waits any more", async () => {
    const { assistant, watchpoints } = assistantAt();
    const gone = new AbortController();
    const late = async (): Promise<boolean> => {
      gone.abort();
      return true;
    };
    const { content } = await assistant.call("tensor_watch", NAN, gone.signal, late);
    expect(content).toMatchObject({ error: { code: "cancelled" } });
    expect(watchpoints.all).toEqual([]);
  });

  test("is refused while the user is being asked about another", async () => {
    const { assistant, call, watchpoints } = assistantAt();
    const asking = deferred<boolean>();
    const first = assistant.call("tensor_watch", NAN, new AbortController().signal, () => asking.promise);
    expect(code(await call("tensor_watch", NAN))).toBe("refused");
    asking.resolve(true);
    await first;
    expect(watchpoints.all).toHaveLength(1);
  });

  test("is listed and removed by its number, each removal confirmed", async () => {
    const { call, asked } = assistantAt();
    await call("tensor_watch", NAN);
    expect(await call("tensor_watch", { action: "list" })).toMatchObject({ watchpoints: [{ id: 1 }] });
    expect(code(await call("tensor_watch", { action: "remove", id: 2 }))).toBe("bad_input");
    expect(await call("tensor_watch", { action: "remove", id: 1 })).toMatchObject({ watchpoints: [] });
    expect(asked).toHaveLength(2);
  });

  test.each([
    [{ what: "above" }, 'needs a "bound"'],
    [{ what: "nan", bound: 3 }, 'takes no "bound"'],
    [{ what: "changed" }, "the whole program can be watched for"],
    [{ what: "rises", gear: "exact", bound: 2 }, "the whole program can be watched for"],
    [{ what: "none", expression: "x" }, "x can be watched for"],
    [{ what: "nan", expression: "x", gear: "exact" }, "exact is for the whole program"],
    [{ what: "nan", expression: "s" }, "s can't be watched"],
  ])("that makes no sense is refused with what does: %j", async (input, sentence) => {
    const { call, asked } = assistantAt([tensor("x", { watched_as: "tensor" }), node("s", { kind: "string" })]);
    const reply = await call("tensor_watch", { action: "set", ...input });
    expect(reply).toMatchObject({ error: { code: "bad_input", message: expect.stringContaining(sentence) } });
    expect(asked).toEqual([]);
  });
});

describe("the MCP server", () => {
  const servers: McpServer[] = [];
  afterEach(async () => {
    for (const one of servers.splice(0)) await one.stop();
  });

  async function started(values: readonly Node[] = [tensor("x")]): Promise<McpServer> {
    const { assistant, consent } = assistantAt(values);
    const server = await McpServer.start({ assistant, consent, version: "0.2.0", log: () => undefined });
    servers.push(server);
    return server;
  }

  test("serves a real client of the protocol", async () => {
    const { url, token } = (await started()).endpoint;
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    expect(client.getServerVersion()).toMatchObject({ name: "tensor-inspector", version: "0.2.0" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(readOnly.map(({ name }) => name)).toEqual(TOOLS.slice(0, 5).map(({ name }) => name));
    const reply = await client.callTool({ name: "tensors_list", arguments: {} });
    expect(reply).toMatchObject({ isError: false, structuredContent: { values: [{ name: "x" }] } });
    const refused = await client.callTool({ name: "tensor_describe", arguments: { expression: "f()" } });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "bad_input" } } });
    await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow("no tool of this name");
    await client.close();
  });

  interface Sent {
    readonly headers?: Record<string, string>;
    readonly method?: string;
    readonly path?: string;
    readonly body?: string;
  }

  /** By Node's own client, which sends any host and origin that it is told to. */
  function send({ url, token }: McpServer["endpoint"], sent: Sent): Promise<{ status: number; body: string }> {
    const { port, pathname } = new URL(url);
    const { headers = {}, method = "POST", path = pathname, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}' } = sent;
    const usual = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return new Promise((resolve, reject) => {
      const asking = request(
        { agent: false, host: "127.0.0.1", port, path, method, headers: { ...usual, ...headers } },
        (response) => {
          let text = "";
          response.on("data", (piece: Buffer) => (text += piece.toString()));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      asking.on("error", reject);
      asking.end(body);
    });
  }

  test.each<[string, Sent, number]>([
    ["a ping", {}, 200],
    ["a ping from a page of this machine", { headers: { Origin: "http://localhost:3000" } }, 200],
    ["no token", { headers: { Authorization: "" } }, 401],
    ["another token", { headers: { Authorization: "Bearer x" } }, 401],
    ["a token of the same length", { headers: { Authorization: `Bearer ${"a".repeat(43)}` } }, 401],
    ["another site's name", { headers: { Host: "evil.example" } }, 403],
    ["another site's name that begins like ours", { headers: { Host: "127.0.0.1.evil.example" } }, 403],
    ["a page of another site", { headers: { Origin: "https://evil.example" } }, 403],
    ["a page without an origin", { headers: { Origin: "null" } }, 403],
    ["another path", { path: "/" }, 404],
    ["the token in the address", { path: "/mcp?token=x" }, 404],
    ["GET", { method: "GET", body: "" }, 405],
    ["DELETE", { method: "DELETE", body: "" }, 405],
    ["a form", { headers: { "Content-Type": "text/plain" } }, 415],
    ["a version that is none", { headers: { "MCP-Protocol-Version": "1999-01-01" } }, 400],
    ["a body of 70 KB", { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(70_000) }) }, 413],
    ["a notification", { body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' }, 202],
  ])("answers %s", async (_, sent, status) => {
    const { endpoint } = await started();
    expect((await send(endpoint, sent)).status).toBe(status);
  });

  test.each([
    ["no JSON", "{", -32_700],
    ["a list", "[]", -32_600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32_601],
    ["params that are none", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_600],
    ["an unknown tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32_602],
  ])("answers %s by an error of JSON-RPC", async (_, body, wanted) => {
    const { endpoint } = await started();
    const { status, body: reply } = await send(endpoint, { body });
    expect(status).toBe(200);
    expect(JSON.parse(reply)).toMatchObject({ jsonrpc: "2.0", error: { code: wanted } });
  });

  test("speaks the version that the client wants, where it can", async () => {
    const { endpoint } = await started();
    const versionFor = async (protocolVersion: string): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion } });
      return JSON.parse((await send(endpoint, { body })).body).result.protocolVersion;
    };
    expect(await versionFor("2025-06-18")).toBe("2025-06-18");
    expect(await versionFor("2099-01-01")).toBe(MCP_VERSIONS[0]);
  });

  test("cancels what a client does not wait for any more, and nothing of another's", async () => {
    const { assistant, consent } = assistantAt();
    const begun = deferred<AbortSignal>();
    const over = deferred<void>();
    const slow = {
      call: async (name: string, input: unknown, signal: AbortSignal): Promise<ToolReply> => {
        begun.resolve(signal);
        await over.promise;
        return assistant.call(name, input, signal, consent);
      },
    };
    const server = await McpServer.start({ assistant: slow, consent, version: "0", log: () => undefined });
    servers.push(server);
    const params = { name: "tensors_list", arguments: {} };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tools/call", params });
    const asked = send(server.endpoint, { body, headers: { "Mcp-Session-Id": "mine" } });
    const signal = await begun.promise;
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    await send(server.endpoint, { body: cancel, headers: { "Mcp-Session-Id": "another" } });
    expect(signal.aborted).toBe(false);
    await send(server.endpoint, { body: cancel, headers: { "Mcp-Session-Id": "mine" } });
    expect(signal.aborted).toBe(true);
    over.resolve();
    await asked;
  });

  test("has another token each time, and is gone once stopped", async () => {
    const [one, other] = [await started(), await started()];
    expect(one.endpoint.token).not.toBe(other.endpoint.token);
    expect((await send(one.endpoint, { headers: { Authorization: `Bearer ${other.endpoint.token}` } })).status).toBe(
      401,
    );
    await one.stop();
    await expect(send(one.endpoint, {})).rejects.toThrow("ECONNREFUSED");
  });
});

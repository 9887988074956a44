/**
 * Stands in for the Python Debugger extension, which cannot be installed offline: the adapter, the debugger and the program
 * are the real ones. It knows nothing of the extension under test. Beside the debugger it serves the tests:
 *
 * - every DAP message is appended to `dap.jsonl`, next to the workspace folder;
 * - so is to `hovers.jsonl` there each place for which VS Code asks extensions for a hover;
 * - set-up orders come in over HTTP, on the port that it writes to `channel.json` there.
 */
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const v8 = require("node:v8");
const vm = require("node:vm");
const vscode = require("vscode");

const types = ["debugpy", "python", "Python Kernel Debug Adapter"];

/** The folder that the bed made for this window: the workspace folder's parent. */
const bed = () => path.dirname(vscode.workspace.workspaceFolders[0].uri.fsPath);

const python = (config) => config.python ?? process.env.BED_PYTHON;

const configurations = {
  resolveDebugConfiguration: (_folder, config) => ({ console: "internalConsole", python: python(config), ...config }),
};

const adapters = {
  createDebugAdapterDescriptor({ configuration: config }) {
    if (config.connect) return new vscode.DebugAdapterServer(config.connect.port, config.connect.host);
    return new vscode.DebugAdapterExecutable(python(config), ["-m", "debugpy.adapter"]);
  },
};

/** debugpy announces each child process of the debuggee; VS Code shows it as a child session. */
function attachChild({ event, body, session }) {
  if (event !== "debugpyAttach") return;
  void vscode.debug.startDebugging(session.workspaceFolder, body, {
    parentSession: session,
    lifecycleManagedByParent: true,
  });
}

const append = (file, line) =>
  fs.appendFileSync(path.join(bed(), file), `${JSON.stringify({ at: Date.now(), ...line })}\n`);

/** Shows nothing of its own. */
const hovers = {
  provideHover(_document, { line, character }) {
    append("hovers.jsonl", { line: line + 1, character });
  },
};

const recorder = {
  createDebugAdapterTracker(session) {
    const record = (from) => (message) =>
      append("dap.jsonl", { session: session.id, name: session.name, from, message });
    return { onWillReceiveMessage: record("client"), onDidSendMessage: record("adapter") };
  },
};

/** What can be ordered through the channel. */
const orders = {
  execute: ({ command, args }) => vscode.commands.executeCommand(command, ...args),

  async open({ file, line }) {
    const start = new vscode.Position(line - 1, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(file), {
      selection: new vscode.Range(start, start),
      preview: false,
    });
  },

  /** How many there were. */
  setBreakpoints({ breakpoints }) {
    const before = vscode.debug.breakpoints.length;
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    vscode.debug.addBreakpoints(
      breakpoints.map(({ file, line, condition }) => {
        const location = new vscode.Location(vscode.Uri.file(file), new vscode.Position(line - 1, 0));
        return new vscode.SourceBreakpoint(location, true, condition);
      }),
    );
    return before;
  },

  async changeSettings({ settings, everywhere }) {
    const configuration = vscode.workspace.getConfiguration();
    const target = everywhere ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
    for (const [name, value] of Object.entries(settings)) await configuration.update(name, value ?? undefined, target);
  },

  startDebugging: ({ config }) => vscode.debug.startDebugging(vscode.workspace.workspaceFolders[0], config),

  stopDebugging: () => vscode.debug.stopDebugging(),

  /** Asks a tool as the assistant of a chat does; the contents of its result, a picture by its type and size. */
  async invokeTool({ name, input }) {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return content.map((part) =>
      part instanceof vscode.LanguageModelTextPart ? part.value : `${part.mimeType} ${part.data.length}`,
    );
  },

  tools: () => vscode.lm.tools.map(({ name }) => name),

  /** How many milliseconds an extension takes to load and start. */
  async activate({ extension }) {
    const start = performance.now();
    await vscode.extensions.getExtension(extension).activate();
    return performance.now() - start;
  },

  /** Bytes of the extension host's heap that are in use, once what nobody refers to is collected. */
  heap() {
    v8.setFlagsFromString("--expose-gc");
    vm.runInNewContext("gc")();
    return process.memoryUsage().heapUsed;
  },

  has: ({ extension }) => vscode.extensions.getExtension(extension) !== undefined,

  isActive: ({ extension }) => vscode.extensions.getExtension(extension)?.isActive ?? false,
};

async function take(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const { order, ...details } = JSON.parse(Buffer.concat(chunks).toString());
    const result = await orders[order](details);
    response.end(JSON.stringify({ result }));
  } catch (error) {
    response.end(JSON.stringify({ error: String(error) }));
  }
}

exports.activate = (context) => {
  for (const type of types) {
    context.subscriptions.push(
      vscode.debug.registerDebugConfigurationProvider(type, configurations),
      vscode.debug.registerDebugAdapterDescriptorFactory(type, adapters),
    );
  }
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterTrackerFactory("*", recorder),
    vscode.languages.registerHoverProvider("python", hovers),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(attachChild),
  );
  const server = http.createServer(take).listen(0, "127.0.0.1", () => {
    const opened = { port: server.address().port, logs: path.dirname(context.logUri.fsPath) };
    fs.writeFileSync(path.join(bed(), "channel.json"), JSON.stringify(opened));
  });
  context.subscriptions.push({ dispose: () => server.close() });
};

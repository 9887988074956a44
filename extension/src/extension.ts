import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { ActiveFrame } from "./debug/activeFrame.ts";
import { Sessions } from "./debug/sessions.ts";
import { bundleIn } from "./helper/bundle.ts";
import { Calls } from "./helper/calls.ts";
import { Assistant } from "./model/assistant/assistant.ts";
import { Frames } from "./model/frames.ts";
import { Details } from "./model/details.ts";
import { Dismissed } from "./model/dismissed.ts";
import { Expansion } from "./model/expansion.ts";
import { Findings } from "./model/findings.ts";
import { History } from "./model/history.ts";
import { Inspector } from "./model/inspector.ts";
import { Lenses } from "./model/lenses.ts";
import { Pins } from "./model/pins.ts";
import { Questions } from "./model/questions.ts";
import { Results } from "./model/results.ts";
import { FINDINGS } from "./model/rowPath.ts";
import { Watchpoints } from "./model/watchpoints.ts";
import { Runs } from "./model/runs.ts";
import { AssistantTools } from "./views/assistantTools.ts";
import { registerCommands } from "./views/commands.ts";
import { followDebugging, followFrame, followKept } from "./views/context.ts";
import { DetailsPages, followSelection } from "./views/detailsPages.ts";
import { Diagnostics } from "./views/diagnostics.ts";
import { GraphPages } from "./views/graphPages.ts";
import { Hover } from "./views/hover.ts";
import { InlineValues } from "./views/inlineValues.ts";
import { offerLaunches } from "./views/launches.ts";
import { Mcp } from "./views/mcp.ts";
import { Sample } from "./views/sample.ts";
import { Settings } from "./views/settings.ts";
import { Status } from "./views/status.ts";
import { TablePages } from "./views/tablePages.ts";
import { Tree } from "./views/tree.ts";
import { followWatchpoints } from "./views/watchpoints.ts";

/** Builds the parts and joins them; nothing else happens before a program stops. */
export function activate(context: vscode.ExtensionContext): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  const log = vscode.window.createOutputChannel("Tensor Inspector", { log: true });
  const sessions = new Sessions((text) => log.info(text));
  const activeFrame = new ActiveFrame(sessions);
  const settings = new Settings(context.workspaceState);
  const expansion = new Expansion();
  const pins = new Pins(context.workspaceState);
  const watchpoints = new Watchpoints(context.workspaceState);
  const calls = new Calls({
    bundle: bundleIn(context.asAbsolutePath("dist/helper.json")),
    log: (text) => log.info(text),
    preferences: () => settings.preferences,
    watchpoints: () => watchpoints.armed,
  });
  const results = new Results();
  const questions = new Questions();
  const history = new History();
  const frames = new Frames(calls, pins, questions, watchpoints, expansion, settings, results, history);
  const inspector = new Inspector(calls, frames);
  const runs = new Runs(calls, pins, settings, results, frames, inspector);
  const lenses = new Lenses(calls, questions, inspector, runs);
  const details = new Details(inspector, lenses, questions);
  const dismissed = new Dismissed(context.workspaceState);
  const findings = new Findings(calls, inspector, runs, dismissed, settings);
  // The row that counts findings begins as an open one.
  expansion.open(FINDINGS);
  // Made after `findings`, which then hears of a change first: it may drop old findings before the tree draws them.
  const tree = new Tree(inspector, expansion, context.globalState);
  const detailsPages = new DetailsPages(details, context.extensionUri);
  const tablePages = new TablePages({ inspector, tree, details, detailsPages }, context.extensionUri);
  const graphPages = new GraphPages({ inspector, lenses, tree, details, detailsPages }, context.extensionUri);
  const say = (text: string): void => log.info(text);
  const assistant = new Assistant({ inspector, lenses, sessions, watchpoints, dismissed, settings, log: say });
  const mcp = new Mcp({ assistant, version: extensionVersion(context), log: say }, settings);
  lenses.setViewVisible(tree.visible);
  context.subscriptions.push(
    log,
    sessions,
    activeFrame,
    settings,
    lenses,
    details,
    detailsPages,
    tablePages,
    graphPages,
    findings,
    tree,
    followDebugging(sessions),
    followFrame(inspector, sessions),
    followKept(pins, questions, dismissed, watchpoints, history, inspector),
    new Hover(inspector, settings),
    new InlineValues(inspector, settings, sessions),
    new Status(inspector),
    new Diagnostics(inspector, settings),
    new AssistantTools(assistant, settings),
    mcp,
    offerLaunches(),
    ...registerCommands({
      inspector,
      runs,
      questions,
      lenses,
      details,
      detailsPages,
      tablePages,
      graphPages,
      findings,
      dismissed,
      watchpoints,
      history,
      expansion,
      settings,
      mcp,
      sample: new Sample(context.extensionUri),
      tree,
      log,
    }),
    followWatchpoints(watchpoints, { calls, inspector, sessions, expansion }),
    activeFrame.onDidChange((frame) => inspector.focus(frame)),
    sessions.onDidInitialize((session) => void calls.prepare(session).then(() => inspector.helperCame(session))),
    sessions.onDidChangeValues((session) => void runs.userChanged(session)),
    tree.onDidChangeVisibility(({ visible }) => lenses.setViewVisible(visible)),
    followSelection(tree, details),
    sessions.onDidEnd((session) => lenses.forget(session)),
    settings.onDidChange((reworded) => void inspector.settingsChanged(reworded)),
  );
}

function extensionVersion({ extension }: vscode.ExtensionContext): string {
  return String((extension.packageJSON as { readonly version?: unknown }).version);
}

/** The commands, each with its title and its places: package.json and package.nls.json are made of them. */
import { type COMMAND, DETAILS_VIEW } from "../src/ids.ts";

/** A place in a menu. `group` is VS Code's: where it stands there, `inline` for a button in the row. */
interface Place {
  readonly when?: string;
  readonly group: string;
}

export interface CommandEntry {
  readonly title: string;
  /** A codicon, for a button. */
  readonly icon?: string;
  /** When it is in the palette; never without. */
  readonly palette?: string;
  /** In the title of a view, of ours unless another is named. */
  readonly view?: readonly (Place & { readonly view?: string })[];
  /** In the menu of rows that offer one of these (a part of a regular expression); `isAlone`: only where one row is marked. */
  readonly rows?: readonly (Place & { readonly offers: string; readonly isAlone?: true })[];
  /** In the editor's context menu. */
  readonly editor?: Place;
  /** In the context menus of the Variables view and of Watch. */
  readonly variables?: Place;
  /** While our tree has the keyboard. */
  readonly keys?: readonly { readonly key: string; readonly mac?: string; readonly when?: string }[];
}

const ALWAYS = "true";
const PAUSED = "tensorInspector.debugging && debugState == 'stopped'";
const PAUSED_IN_PYTHON = `${PAUSED} && editorLangId == python`;
const ON_A_VALUE = `${PAUSED} && variableType in tensorInspector.types`;

export const COMMAND_TABLE: Readonly<Record<keyof typeof COMMAND, CommandEntry>> = {
  summarize: {
    title: "Summarize Tensor",
    palette: PAUSED_IN_PYTHON,
    editor: { when: PAUSED_IN_PYTHON, group: "debug@9" },
    variables: { when: ON_A_VALUE, group: "0_summarize@1" },
  },
  summarizeExpression: {
    title: "Summarize Expression…",
    icon: "add",
    palette: PAUSED,
    view: [{ when: PAUSED, group: "navigation@1" }],
  },
  refresh: {
    title: "Refresh",
    icon: "refresh",
    palette: PAUSED,
    view: [{ when: PAUSED, group: "navigation@4" }],
  },
  showTensorsOnly: {
    title: "Show Tensors Only",
    icon: "filter",
    palette: "tensorInspector.active && tensorInspector.filter != 'tensors'",
    view: [{ when: "tensorInspector.filter != 'tensors'", group: "navigation@2" }],
  },
  showAll: {
    title: "Show All Values",
    icon: "filter-filled",
    palette: "tensorInspector.active && tensorInspector.filter == 'tensors'",
    view: [{ when: "tensorInspector.filter == 'tensors'", group: "navigation@2" }],
  },
  nextPage: {
    title: "Show the Next Page",
  },
  find: {
    title: "Find Variable",
    palette: PAUSED,
    view: [{ when: PAUSED, group: "0_find@1" }],
    keys: [{ key: "ctrl+f", mac: "cmd+f" }, { key: "ctrl+alt+f", mac: "cmd+alt+f" }, { key: "f3" }],
  },
  pin: {
    title: "Pin",
    icon: "pin",
    rows: [
      { offers: "pin", group: "inline@2" },
      { offers: "pin", group: "3_keep@2" },
    ],
  },
  remove: {
    title: "Remove",
    icon: "close",
    rows: [
      { offers: "remove", group: "inline@2" },
      { offers: "remove", group: "3_keep@3" },
    ],
    keys: [{ key: "delete" }, { key: "cmd+backspace", when: "isMac" }],
  },
  unpinAll: {
    title: "Unpin All",
    palette: "tensorInspector.pinned",
    view: [{ when: "tensorInspector.pinned", group: "1_remove@1" }],
  },
  evaluateAgain: {
    title: "Evaluate Again",
    icon: "debug-rerun",
    rows: [
      { offers: "evaluateAgain", group: "inline@1" },
      { offers: "evaluateAgain", group: "1_look@2" },
    ],
  },
  copySummary: {
    title: "Copy Summary",
    rows: [{ offers: "copySummary", group: "2_copy@1" }],
    keys: [{ key: "ctrl+c", mac: "cmd+c" }],
  },
  copyExpression: {
    title: "Copy as Expression",
    rows: [{ offers: "copyExpression", group: "2_copy@2" }],
  },
  revealAlarm: {
    title: "Reveal First Finding, NaN or Inf",
    palette: PAUSED,
  },
  showLog: {
    title: "Show Log",
    palette: ALWAYS,
  },
  addToWatch: {
    title: "Add to Watch",
    rows: [{ offers: "copyExpression", group: "3_keep@1" }],
  },
  compareWith: {
    title: "Compare with…",
    palette: PAUSED,
    rows: [{ offers: "compare", isAlone: true, group: "4_compare@3" }],
  },
  selectForCompare: {
    title: "Select for Compare",
    rows: [{ offers: "compare", isAlone: true, group: "4_compare@2" }],
  },
  compareWithSelected: {
    title: "Compare with Selected",
    rows: [{ offers: "compare", isAlone: true, when: "tensorInspector.selectedForCompare", group: "4_compare@1" }],
  },
  compareSelected: {
    title: "Compare Selected",
    rows: [{ offers: "compare", when: "listDoubleSelection", group: "4_compare@1" }],
  },
  keepForCompare: {
    title: "Keep for Compare…",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "keep", isAlone: true, when: "tensorInspector.torch", group: "4_compare@4" }],
  },
  showAutogradGraph: {
    title: "Show Autograd Graph",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "autograd", isAlone: true, group: "1_look@3" }],
  },
  openAsGraph: {
    title: "Open as Graph",
    icon: "type-hierarchy-sub",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [
      { offers: "openAsGraph", group: "inline@4" },
      { offers: "(autograd|openAsGraph)", isAlone: true, group: "0_details@4" },
    ],
  },
  showNanOrigin: {
    title: "Where Did the NaN Begin?",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "nan_origin", isAlone: true, group: "1_look@4" }],
  },
  showWhyNoGradient: {
    title: "Why No Gradient?",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "no_gradient", isAlone: true, group: "1_look@5" }],
  },
  showGradients: {
    title: "Show Gradients",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "gradients", isAlone: true, group: "1_look@6" }],
  },
  checkGradients: {
    title: "Check Gradients (gradcheck)…",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "gradcheck", isAlone: true, group: "1_look@7" }],
  },
  showLayers: {
    title: "Show Layers",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "model", isAlone: true, group: "1_look@8" }],
  },
  showShapes: {
    title: "Show Shapes…",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [{ offers: "shapes", isAlone: true, group: "1_look@9" }],
  },
  describeData: {
    title: "Describe Data",
    palette: PAUSED,
    rows: [{ offers: "batch", isAlone: true, group: "1_look@10" }],
  },
  loadItem: {
    title: "Load One Item…",
    palette: PAUSED,
    rows: [{ offers: "item", isAlone: true, group: "1_look@11" }],
  },
  showReferrers: {
    title: "Who Keeps This Alive?",
    palette: PAUSED,
    rows: [{ offers: "referrers", isAlone: true, group: "1_look@12" }],
  },
  sortLayers: {
    title: "Sort Layers By…",
    icon: "list-ordered",
    rows: [
      { offers: "sortLayers", group: "inline@1" },
      { offers: "sortLayers", group: "1_look@16" },
    ],
  },
  showMemory: {
    title: "Show Memory",
    palette: PAUSED,
  },
  showEnvironment: {
    title: "Show Environment",
    palette: PAUSED,
  },
  copyBugReport: {
    title: "Copy Bug Report",
    palette: PAUSED,
    view: [{ when: PAUSED, group: "3_report@1" }],
    rows: [{ offers: "copyReport", group: "2_copy@3" }],
  },
  copyBugReportWithValues: {
    title: "Copy Bug Report with Values",
    palette: PAUSED,
    rows: [{ offers: "copyReport", group: "2_copy@4" }],
  },
  copyMcpConfiguration: {
    title: "Copy MCP Configuration",
    palette: "isWorkspaceTrusted",
  },
  openSample: {
    title: "Open Sample…",
    palette: "isWorkspaceTrusted",
  },
  cancel: {
    title: "Cancel",
    icon: "circle-slash",
    rows: [
      { offers: "cancel", group: "inline@1" },
      { offers: "cancel", group: "1_look@1" },
    ],
  },
  removeAllAnswers: {
    title: "Remove All Answers",
    palette: "tensorInspector.answered",
    view: [{ when: "tensorInspector.answered", group: "1_remove@2" }],
  },
  checkStep: {
    title: "Check This Step",
    icon: "checklist",
    palette: `${PAUSED} && tensorInspector.torch`,
    view: [{ when: `${PAUSED} && tensorInspector.torch`, group: "navigation@3" }],
    rows: [{ offers: "checkStep", group: "1_look@14" }],
  },
  checkByRunning: {
    title: "Check by Running the Model…",
    icon: "run",
    palette: `${PAUSED} && tensorInspector.torch`,
    rows: [
      { offers: "checkByRunning", group: "inline@0" },
      { offers: "checkByRunning", group: "1_look@15" },
    ],
  },
  dismissInFunction: {
    title: "Dismiss in This Function",
    icon: "close",
    rows: [
      { offers: "dismiss", group: "inline@2" },
      { offers: "dismiss(All)?", group: "5_dismiss@1" },
    ],
  },
  dismissInWorkspace: {
    title: "Dismiss in This Workspace",
    rows: [{ offers: "dismiss", group: "5_dismiss@2" }],
  },
  restoreDismissed: {
    title: "Restore Dismissed Findings",
    palette: "tensorInspector.dismissed",
    view: [{ when: "tensorInspector.dismissed", group: "2_findings@1" }],
  },
  goToLine: {
    title: "Go to Line",
    icon: "go-to-file",
    rows: [
      { offers: "goToLine", group: "inline@1" },
      { offers: "goToLine", group: "1_look@13" },
    ],
  },
  exportHistory: {
    title: "Export History…",
    icon: "export",
    palette: "tensorInspector.recorded",
    view: [{ when: "tensorInspector.recorded", group: "3_report@2" }],
    rows: [{ offers: "exportHistory", group: "2_copy@5" }],
  },
  record: {
    title: "Record at Each Step",
    icon: "record",
    rows: [{ offers: "record", group: "3_keep@4" }],
  },
  stopRecording: {
    title: "Stop Recording",
    icon: "stop-circle",
    rows: [{ offers: "stopRecording", group: "3_keep@5" }],
  },
  breakWhen: {
    title: "Break When NaN or Inf…",
    icon: "debug-breakpoint-data",
    palette: ALWAYS,
    view: [{ group: "1_watch@1" }],
  },
  breakWhenValue: {
    title: "Break When…",
    rows: [{ offers: "breakWhen", isAlone: true, group: "0_watch@1" }],
  },
  breakNextTime: {
    title: "Break There Next Time",
    rows: [{ offers: "breakNextTime", isAlone: true, group: "0_watch@2" }],
  },
  breakAtNan: {
    title: "Break When This Becomes NaN",
    rows: [{ offers: "breakAtNan", isAlone: true, group: "0_watch@3" }],
  },
  editWatchpoint: {
    title: "Edit Watchpoint…",
    icon: "edit",
    rows: [{ offers: "editWatchpoint", group: "inline@1" }],
  },
  enableWatchpoint: {
    title: "Enable Watchpoint",
    icon: "circle-large-outline",
    rows: [{ offers: "enable", group: "inline@2" }],
  },
  disableWatchpoint: {
    title: "Disable Watchpoint",
    icon: "circle-slash",
    rows: [{ offers: "disable", group: "inline@2" }],
  },
  showDetails: {
    title: "Show Details",
    icon: "graph",
    palette: PAUSED,
    rows: [
      { offers: "compare", group: "inline@3" },
      { offers: "compare", isAlone: true, group: "0_details@1" },
    ],
    editor: { when: PAUSED_IN_PYTHON, group: "debug@10" },
    variables: { when: ON_A_VALUE, group: "0_summarize@2" },
  },
  exportValue: {
    title: "Export Value…",
    palette: PAUSED,
    rows: [{ offers: "export", isAlone: true, group: "0_details@2" }],
    variables: { when: ON_A_VALUE, group: "0_summarize@3" },
  },
  openDetailsInEditor: {
    title: "Open Tensor Details in the Editor",
    icon: "link-external",
    palette: "tensorInspector.active",
    view: [{ view: DETAILS_VIEW, group: "navigation@1" }],
  },
  openAsTable: {
    title: "Open as Table",
    icon: "table",
    palette: PAUSED,
    rows: [
      { offers: "openAsTable", group: "inline@4" },
      { offers: "openAsTable", isAlone: true, group: "0_details@3" },
    ],
  },
  openFrameAsTable: {
    title: "Open Variables as Table",
    icon: "table",
    palette: PAUSED,
    view: [{ when: PAUSED, group: "navigation@5" }],
  },
  removeAllWatchpoints: {
    title: "Remove All Watchpoints",
    icon: "close-all",
    palette: "tensorInspector.watched",
    view: [{ when: "tensorInspector.watched", group: "1_watch@2" }],
  },
};

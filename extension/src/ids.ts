/** The names that the code has in common with the manifest, package.json. A test holds the two together. */

/** The section of our settings, with which all our ids begin. */
export const SECTION = "tensorInspector";

export const VIEW = "tensorInspector.tree";

/** The details page; its tab in the editor has the same. */
export const DETAILS_VIEW = "tensorInspector.details";

/** A tab of the editor with a table. */
export const TABLE_VIEW = "tensorInspector.table";

/** A tab of the editor with a drawn graph. */
export const GRAPH_VIEW = "tensorInspector.graph";

export const COMMAND = {
  summarize: "tensorInspector.summarize",
  summarizeExpression: "tensorInspector.summarizeExpression",
  refresh: "tensorInspector.refresh",
  showTensorsOnly: "tensorInspector.showTensorsOnly",
  showAll: "tensorInspector.showAll",
  nextPage: "tensorInspector.nextPage",
  find: "tensorInspector.find",
  pin: "tensorInspector.pin",
  remove: "tensorInspector.remove",
  unpinAll: "tensorInspector.unpinAll",
  evaluateAgain: "tensorInspector.evaluateAgain",
  copySummary: "tensorInspector.copySummary",
  copyExpression: "tensorInspector.copyExpression",
  revealAlarm: "tensorInspector.revealAlarm",
  showLog: "tensorInspector.showLog",
  addToWatch: "tensorInspector.addToWatch",
  compareWith: "tensorInspector.compareWith",
  selectForCompare: "tensorInspector.selectForCompare",
  compareWithSelected: "tensorInspector.compareWithSelected",
  compareSelected: "tensorInspector.compareSelected",
  keepForCompare: "tensorInspector.keepForCompare",
  showAutogradGraph: "tensorInspector.showAutogradGraph",
  openAsGraph: "tensorInspector.openAsGraph",
  showNanOrigin: "tensorInspector.showNanOrigin",
  showWhyNoGradient: "tensorInspector.showWhyNoGradient",
  showGradients: "tensorInspector.showGradients",
  checkGradients: "tensorInspector.checkGradients",
  showLayers: "tensorInspector.showLayers",
  showShapes: "tensorInspector.showShapes",
  describeData: "tensorInspector.describeData",
  loadItem: "tensorInspector.loadItem",
  showReferrers: "tensorInspector.showReferrers",
  sortLayers: "tensorInspector.sortLayers",
  showMemory: "tensorInspector.showMemory",
  showEnvironment: "tensorInspector.showEnvironment",
  copyBugReport: "tensorInspector.copyBugReport",
  copyBugReportWithValues: "tensorInspector.copyBugReportWithValues",
  copyMcpConfiguration: "tensorInspector.copyMcpConfiguration",
  openSample: "tensorInspector.openSample",
  cancel: "tensorInspector.cancel",
  removeAllAnswers: "tensorInspector.removeAllAnswers",
  checkStep: "tensorInspector.checkStep",
  checkByRunning: "tensorInspector.checkByRunning",
  dismissInFunction: "tensorInspector.dismissInFunction",
  dismissInWorkspace: "tensorInspector.dismissInWorkspace",
  restoreDismissed: "tensorInspector.restoreDismissed",
  goToLine: "tensorInspector.goToLine",
  exportHistory: "tensorInspector.exportHistory",
  record: "tensorInspector.record",
  stopRecording: "tensorInspector.stopRecording",
  breakWhen: "tensorInspector.breakWhen",
  breakWhenValue: "tensorInspector.breakWhenValue",
  breakNextTime: "tensorInspector.breakNextTime",
  breakAtNan: "tensorInspector.breakAtNan",
  editWatchpoint: "tensorInspector.editWatchpoint",
  enableWatchpoint: "tensorInspector.enableWatchpoint",
  disableWatchpoint: "tensorInspector.disableWatchpoint",
  showDetails: "tensorInspector.showDetails",
  exportValue: "tensorInspector.exportValue",
  openDetailsInEditor: "tensorInspector.openDetailsInEditor",
  openAsTable: "tensorInspector.openAsTable",
  openFrameAsTable: "tensorInspector.openFrameAsTable",
  removeAllWatchpoints: "tensorInspector.removeAllWatchpoints",
} as const;

export type CommandId = (typeof COMMAND)[keyof typeof COMMAND];

/** The context keys that the manifest's `when` conditions test. */
export const CONTEXT = {
  /** We are active: set for good, since only a Python file or session activates us. */
  active: "tensorInspector.active",
  /** The session that is looked at is Python's. */
  debugging: "tensorInspector.debugging",
  /** No frame is looked at, as while the program runs, though one may be selected: asked only where it is paused. */
  noFrame: "tensorInspector.noFrame",
  /** The program that is looked at has loaded torch. */
  torch: "tensorInspector.torch",
  /** Which rows are shown: `all` or `tensors`. */
  filter: "tensorInspector.filter",
  /** There is something to unpin, which may be from an earlier session. */
  pinned: "tensorInspector.pinned",
  /** There is a value that was selected to be compared with another, in the program that is looked at. */
  selectedForCompare: "tensorInspector.selectedForCompare",
  /** There are questions, with their answers. */
  answered: "tensorInspector.answered",
  /** There are findings that the user has dismissed in this workspace. */
  dismissed: "tensorInspector.dismissed",
  /** Numbers of pins were recorded, which may be of a session that has ended. */
  recorded: "tensorInspector.recorded",
  /** There are watchpoints in this workspace. */
  watched: "tensorInspector.watched",
  /** One of them is on. */
  armed: "tensorInspector.armed",
  /** Names of the classes that can be summarized, as met in this session. */
  types: "tensorInspector.types",
} as const;

export type ContextKey = (typeof CONTEXT)[keyof typeof CONTEXT];

export const COLOR = {
  alarm: "tensorInspector.alarmForeground",
  warning: "tensorInspector.warningForeground",
  statusBarAlarm: "tensorInspector.statusBarAlarmForeground",
} as const;

/** The debug types of the Python debugger: the present name, the older one, and Jupyter's, for cells and its window. */
export const DEBUG_TYPE = {
  debugpy: "debugpy",
  python: "python",
  cell: "Python Kernel Debug Adapter",
  interactiveWindow: "Python Interactive Window Debug Adapter",
} as const;

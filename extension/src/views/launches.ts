import * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";

/** Ways to debug the current file without a launch.json: VS Code lists them under "Show all automatic debug configurations". */
export function offerLaunches(): vscode.Disposable {
  const provider = { provideDebugConfigurations: () => launches() };
  return vscode.debug.registerDebugConfigurationProvider(
    DEBUG_TYPE.debugpy,
    provider,
    vscode.DebugConfigurationProviderTriggerKind.Dynamic,
  );
}

function launches(): vscode.DebugConfiguration[] {
  const launch = { type: DEBUG_TYPE.debugpy, request: "launch", console: "integratedTerminal" } as const;
  return [
    { ...launch, name: vscode.l10n.t("Training Script: Current File"), program: "${file}" },
    {
      ...launch,
      name: vscode.l10n.t("torchrun on Two Processes: Current File"),
      module: "torch.distributed.run",
      args: ["--standalone", "--nproc-per-node=2", "${file}"],
      subProcess: true,
    },
    { ...launch, name: vscode.l10n.t("pytest: Current File"), module: "pytest", args: ["${file}"] },
  ];
}

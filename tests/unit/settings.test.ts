/** What the user's settings mean to the helper. */
import { expect, test, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { Settings } from "../../extension/src/views/settings.ts";
import { memory } from "./fixtures.ts";
import { stage, workspace } from "./vscode.ts";

test.each([
  ["auto", "auto"],
  ["metadataOnly", "off"],
  ["metadata only", "off"], // an older spelling
  ["exact", "exact"],
  ["nonsense", "auto"],
])("statistics: %s", (setting, statistics) => {
  workspace.settings.set("statistics", setting);
  expect(new Settings({ get: () => undefined, update: async () => {} }).preferences).toMatchObject({ statistics });
});

test.each([
  ["timeBudget", 500, { budget_ms: 500 }],
  ["timeBudget", 0, { budget_ms: 0 }], // the helper knows how little makes sense
  ["timeBudget", "soon", { budget_ms: undefined }], // the helper's own
  ["precision", 6, { digits: 6 }],
  ["precision", Infinity, { digits: undefined }],
])("%s: what is a number is sent as it is, %j", (name, setting, expected) => {
  workspace.settings.set(name, setting);
  const { budget_ms, digits } = new Settings(memory()).preferences;
  expect({ budget_ms, digits }).toMatchObject(expected);
});

test.each([
  ["precision", 6, true],
  ["statistics", "exact", true],
  ["timeBudget", 500, true],
  ["summaries", { "my.Trainer": "step {step}" }, true],
  ["pageSize", 50, false],
  ["tensorsFirst", false, false],
  ["hover.enabled", false, false],
])("%s is %j: whether the same values are said in other words is %j", (name, value, reworded) => {
  const told: boolean[] = [];
  new Settings(memory()).onDidChange((one) => told.push(one));
  stage.set(name, value);
  expect(told).toEqual([reworded]);
});

test.each([
  [{ "my.Trainer": "step {step}" }, { "my.Trainer": "step {step}" }],
  [{ "my.Trainer": 3, "my.Model": "{name}" }, { "my.Model": "{name}" }],
  ["nonsense", {}],
  [null, {}],
])("summaries: %j", (setting, summaries) => {
  workspace.settings.set("summaries", setting);
  expect(new Settings(memory()).preferences).toMatchObject({ summaries });
});

test.each([
  ["my.trainer.Trainer", "step {state.step} · {history:len} kept", []],
  ["__main__.Trainer", "no braces", []],
  ["Trainer", "step {step}", ["name"]],
  ["my.Trainer", "step {step", ["braces"]],
])("the editor of settings marks what is wrong with a summary: %j: %j", (name, summary, wrong) => {
  const { propertyNames, additionalProperties } =
    manifest.contributes.configuration.properties["tensorInspector.summaries"];
  const fits = { name: propertyNames.pattern, braces: additionalProperties.pattern };
  const texts = { name, braces: summary };
  const found = (["name", "braces"] as const).filter((what) => !new RegExp(fits[what]).test(texts[what]));
  expect(found).toEqual(wrong);
});

test("the filter lists other values, in the same words", async () => {
  const told: boolean[] = [];
  const settings = new Settings(memory());
  settings.onDidChange((one) => told.push(one));
  await settings.setFilter("tensors");
  expect(told).toEqual([false]);
});

test("those that are read are those that the manifest offers", () => {
  const read = new Set<string>();
  const asked = vi.spyOn(workspace, "getConfiguration").mockImplementation((section?: string) => ({
    get: (name: string, otherwise: unknown) => {
      read.add(`${section}.${name}`);
      return otherwise;
    },
  }));
  const settings = new Settings(memory());
  for (const name of Object.getOwnPropertyNames(Settings.prototype)) Reflect.get(settings, name);
  asked.mockRestore();
  const ours = [...read].filter((name) => name.startsWith("tensorInspector."));
  expect(new Set(ours)).toEqual(new Set(Object.keys(manifest.contributes.configuration.properties)));
});

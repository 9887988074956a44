import * as l10n from "@vscode/l10n";
import type { ShownFacts } from "../src/protocol/page.ts";

/** What is wrong with the value, as far as findings name it. */
export function Findings({ findings }: Pick<ShownFacts, "findings">) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings" aria-label={l10n.t("Findings")}>
      {findings.map(({ severity, title, why, suggestion }) => (
        <li class={severity}>
          <strong>{title}</strong>
          <p>{why}</p>
          <p>{l10n.t("Try: {0}", suggestion)}</p>
        </li>
      ))}
    </ul>
  );
}

/** All that is known of the value, as tables; what has to be said beside them, in sentences. */
export function Facts({ rows, statistics, parts, notes }: ShownFacts) {
  return (
    <div class="facts">
      <Table rows={rows} label={l10n.t("Facts")} />
      {statistics.length > 0 && <Table rows={statistics} head={parts} label={l10n.t("Statistics")} />}
      {notes.map((note) => (
        <p class="note">{note}</p>
      ))}
    </div>
  );
}

interface TableProps {
  readonly rows: readonly (readonly string[])[];
  readonly label: string;
  readonly head?: readonly string[];
}

export function Table({ rows, label, head = [] }: TableProps) {
  return (
    <table aria-label={label}>
      {head.length > 0 && (
        <thead>
          <tr>
            <td />
            {head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([name, ...texts]) => (
          <tr>
            <th scope="row">{name}</th>
            {texts.map((text) => (
              <td>{text}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

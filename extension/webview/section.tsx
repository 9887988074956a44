import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useErrorBoundary, useState } from "preact/hooks";
import { remember, remembered } from "./host.ts";

interface SectionProps {
  readonly name: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What fails in one section leaves the others as they are. */
function Guarded({ children }: Pick<SectionProps, "children">) {
  const [failure, retry] = useErrorBoundary();
  if (failure === undefined) return <>{children}</>;
  return (
    <p class="note" role="alert">
      {l10n.t("This can't be shown: {0}", String(failure))}{" "}
      <button type="button" onClick={retry}>
        {l10n.t("Show Again")}
      </button>
    </p>
  );
}

/** A part of the page that can be folded, and stays so. */
export function Section({ name, title, children }: SectionProps) {
  const [open, setOpen] = useState(!remembered().folded.includes(name));
  const toggle = (isOpen: boolean): void => {
    if (isOpen === open) return;
    setOpen(isOpen);
    const others = remembered().folded.filter((one) => one !== name);
    remember({ folded: isOpen ? others : [...others, name] });
  };
  return (
    <details class={`section ${name}`} open={open} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <summary>{title}</summary>
      {open && <Guarded>{children}</Guarded>}
    </details>
  );
}

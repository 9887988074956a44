import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";

/** Never a blank page: why there is nothing to see, and a way on. */
export function GuardedPage({ children }: { readonly children: ComponentChildren }) {
  const [failure, retry] = useErrorBoundary();
  if (failure === undefined) return <>{children}</>;
  return (
    <main>
      <p role="alert">{l10n.t("The page failed: {0}", String(failure))}</p>
      <button type="button" onClick={retry}>
        {l10n.t("Show Again")}
      </button>
    </main>
  );
}

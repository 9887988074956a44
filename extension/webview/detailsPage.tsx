import * as l10n from "@vscode/l10n";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type Look,
  merged,
  NOTHING_COMPARED,
  type Refresh,
  type ShownDetails,
  type ToPage,
} from "../src/protocol/page.ts";
import { Cells } from "./cells.tsx";
import { CompareWith, ComparisonView } from "./comparison.tsx";
import { DistributionPlot } from "./distribution.tsx";
import { Facts, Findings } from "./facts.tsx";
import { listen, remember, remembered, say } from "./host.ts";
import { Kept, useAfterPaint, useSame } from "./kept.ts";
import { type LookChange, Looks } from "./looks.ts";
import { shareText } from "./numbers.ts";
import { type DimensionNames, NameBoxes, withNames } from "./picture/dimensionNames.tsx";
import { PictureView } from "./picture/pictureView.tsx";
import { Section } from "./section.tsx";
import { ValuesGrid } from "./values.tsx";

type Subject = Extract<ToPage, { type: "subject" }>;

const NO_NAMES: DimensionNames = [];
const NO_LOOK: Look = {};
const REFRESHES = ["all", "locked", "none"] as const satisfies readonly Refresh[];

/** The page: what is known of one value, and how it is looked at. The extension owns both; the page says what the user wants. */
export function DetailsPage() {
  const [subject, setSubject] = useState<Subject>();
  const [details, setDetails] = useState<ShownDetails>({});
  /** Another with each value and stop. */
  const [generation, setGeneration] = useState(0);
  const looks = useMemo(() => new Looks(), []);
  useEffect(() => {
    const end = listen((message) => {
      if (message.type === "subject") setSubject(looks.hear(message));
      else if (message.whole) {
        setDetails(message.details);
        setGeneration((now) => now + 1);
      } else setDetails((before) => merged(before, message.details));
    });
    say({ type: "ready" });
    return end;
  }, []);
  useEffect(() => window.scrollTo(0, 0), [subject?.name]);
  const [allNames, setAllNames] = useState(remembered().names);
  const called = subject?.name ?? "";
  const names = Object.hasOwn(allNames, called) ? (allNames[called] ?? NO_NAMES) : NO_NAMES;
  const picture = useMemo(() => details.picture && withNames(details.picture, names), [details.picture, names]);
  const onLook = useCallback((change: LookChange): void => {
    say(looks.change(change));
    // The question is on its way before its controls are drawn.
    setTimeout(() => setSubject((now) => now && { ...now, look: looks.now }));
  }, []);
  // Most that is told is about the head alone: what did not change is not drawn anew.
  const looked = useSame(subject?.look ?? NO_LOOK);
  const compared = useSame(subject?.compared ?? NOTHING_COMPARED);
  // Its many cells wait until the picture is drawn.
  const [pictureOfValues, isBefore] = useAfterPaint(picture, generation);
  const lastSpread = useRef<Pick<ShownDetails, "distribution" | "gradient">>({});
  if (details.distribution !== undefined) lastSpread.current = details;
  if (subject === undefined) return null;
  const onNames = (named: DimensionNames): void => {
    const all = { ...allNames, [called]: named };
    setAllNames(all);
    remember({ names: all });
  };
  const { facts, values, extremes, table, comparison, other, error_map: errors } = details;
  const isCompared = compared.other.how !== "nothing";
  const isPictured = isCompared && other !== undefined && errors !== undefined;
  const reasonOf = (part: string) => details.missing?.find((one) => one.part === part)?.reason;
  const isNow = subject.note === undefined;
  const hasFacts = facts !== undefined;
  // The one before keeps the room for one that comes in a moment, unseen.
  const isComing = picture !== undefined && details.coming?.includes("distribution") === true;
  const { distribution, gradient } = isComing ? lastSpread.current : details;
  return (
    <main>
      <Head subject={subject} line={facts?.line} />
      {hasFacts && <Findings findings={facts.findings} />}
      <div class={isPictured ? "sections compared" : "sections"}>
        {isCompared && hasFacts && (
          <Kept on={[comparison, compared, called, reasonOf("comparison")]}>
            {() => (
              <Section name="comparisons" title={l10n.t("Comparison")}>
                <ComparisonView
                  comparison={comparison}
                  compared={compared}
                  name={called}
                  missing={reasonOf("comparison")}
                />
              </Section>
            )}
          </Kept>
        )}
        {(table ?? reasonOf("table")) !== undefined && hasFacts && (
          <Kept on={[table, called, reasonOf("table")]}>
            {() => (
              <Section name="tables" title={l10n.t("Table")}>
                {table === undefined ? (
                  <p class="note">{reasonOf("table")}</p>
                ) : (
                  <Cells key={called} name={called} table={table} />
                )}
              </Section>
            )}
          </Kept>
        )}
        {hasPicture(details) && hasFacts && (
          <Kept
            on={[
              picture,
              isPictured,
              other,
              errors,
              called,
              compared,
              generation,
              looked,
              names,
              allNames,
              details.overlay,
              subject.overlay,
              reasonOf("overlay"),
              reasonOf("picture"),
            ]}
          >
            {() => (
              <Section name="pictures" title={l10n.t("Picture")}>
                {picture === undefined ? (
                  <p class="note">{reasonOf("picture")}</p>
                ) : (
                  <>
                    <PictureView
                      picture={picture}
                      compared={isPictured ? { other, errors, names: [called, compared.name ?? ""] } : undefined}
                      generation={generation}
                      look={looked}
                      overlay={details.overlay ?? undefined}
                      over={subject.overlay}
                      noOverlay={reasonOf("overlay")}
                      onLook={onLook}
                    />
                    <NameBoxes shape={picture.shape} names={names} onNames={onNames} />
                  </>
                )}
              </Section>
            )}
          </Kept>
        )}
        {(hasDistribution(details) || distribution !== undefined) && hasFacts && (
          <Kept on={[distribution, gradient, isComing, looked.robust, reasonOf("distribution")]}>
            {() => (
              <Section name="distributions" title={l10n.t("Distribution")}>
                {distribution === undefined ? (
                  <p class="note">{reasonOf("distribution")}</p>
                ) : (
                  <div class={isComing ? "coming" : ""}>
                    <DistributionPlot distribution={distribution} gradient={gradient} look={looked} onLook={onLook} />
                  </div>
                )}
              </Section>
            )}
          </Kept>
        )}
        {hasFacts && (
          <Kept on={[facts]}>
            {() => (
              <Section name="facts" title={l10n.t("Facts")}>
                <Facts {...facts} />
              </Section>
            )}
          </Kept>
        )}
        {pictureOfValues !== undefined && (
          <Kept
            isHeld={isBefore}
            on={[
              pictureOfValues,
              values,
              facts,
              isCompared,
              comparison,
              extremes,
              reasonOf("values"),
              isNow,
              reasonOf("extremes"),
            ]}
          >
            {() => (
              <Section name="values" title={l10n.t("Values")}>
                <ValuesGrid
                  picture={pictureOfValues}
                  values={values}
                  missing={reasonOf("values")}
                  isNow={isNow}
                  places={placesOf(facts, isCompared ? comparison : undefined)}
                  extremes={extremes}
                  noExtremes={reasonOf("extremes")}
                  onLook={onLook}
                />
              </Section>
            )}
          </Kept>
        )}
      </div>
    </main>
  );
}

/** Of a table it need not be said that it has no picture. */
function hasPicture({ picture, table, missing = [] }: ShownDetails): boolean {
  return picture !== undefined || (table === undefined && missing.some(({ part }) => part === "picture"));
}

function hasDistribution({ distribution, table, missing = [] }: ShownDetails): boolean {
  return distribution !== undefined || (table === undefined && missing.some(({ part }) => part === "distribution"));
}

/** Where one wants to look first. */
function placesOf(
  facts: ShownDetails["facts"],
  comparison: ShownDetails["comparison"],
): (readonly [string, readonly number[]])[] {
  const places = [
    [l10n.t("First {0}", "NaN"), facts?.first_nan] as const,
    [l10n.t("First {0}", "Inf"), facts?.first_inf] as const,
    [l10n.t("Largest difference"), comparison?.elements?.max_abs?.at] as const,
  ];
  return places.flatMap(([name, index]) => (index === undefined ? [] : [[name, index] as const]));
}

function Head({ subject, line }: { readonly subject: Subject; readonly line: string | undefined }) {
  const { name, place, locked, refresh, note, progress } = subject;
  if (name === undefined) {
    if (note !== undefined) return <p class="welcome">{note}</p>;
    return <p class="welcome">{l10n.t("Select a value in the Tensor Inspector, or use Show Details in a menu.")}</p>;
  }
  return (
    <header>
      <h1>
        <code>{name}</code> <span class="line">{line}</span>
      </h1>
      <div class="controls">
        <span class="place">{place}</span>
        <label>
          <input
            type="checkbox"
            checked={locked}
            onChange={({ currentTarget }) => say({ type: "lock", locked: currentTarget.checked })}
          />
          {l10n.t("Locked")}
        </label>
        <label>
          {l10n.t("Refresh")}{" "}
          <select
            value={refresh}
            onChange={({ currentTarget }) => say({ type: "refresh", refresh: currentTarget.value as Refresh })}
          >
            {REFRESHES.map((one) => (
              <option value={one}>{REFRESH_TEXTS[one]()}</option>
            ))}
          </select>
        </label>
        <CompareWith compared={subject.compared} />
        <button type="button" onClick={() => say({ type: "again" })}>
          {l10n.t("Refresh Now")}
        </button>
        <button type="button" onClick={() => say({ type: "export" })}>
          {l10n.t("Export…")}
        </button>
        {progress !== undefined && (
          <span class="progress" role="status">
            {l10n.t("Reading… {0}", shareText(progress))}{" "}
            <button type="button" onClick={() => say({ type: "cancel" })}>
              {l10n.t("Cancel")}
            </button>
          </span>
        )}
      </div>
      {note !== undefined && (
        <p class="note" role="status">
          {note}
        </p>
      )}
    </header>
  );
}

const REFRESH_TEXTS: Record<Refresh, () => string> = {
  all: () => l10n.t("at each stop"),
  locked: () => l10n.t("while locked"),
  none: () => l10n.t("never"),
};

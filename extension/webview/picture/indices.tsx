import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import type { Look, Picture } from "../../src/protocol/page.ts";
import type { LookChange } from "../looks.ts";
import { dimText, otherDims } from "./planes.ts";

interface IndicesProps {
  readonly picture: Picture;
  readonly look: Look;
  readonly onLook: (change: LookChange) => void;
}

/** How long each index is shown while the player goes on, at least. */
const FRAME_MS = 200;

/** At which index of the dimensions that are not drawn the picture is: by slider, typed, or played. */
export function Indices({ picture, look, onLook }: IndicesProps) {
  const others = otherDims(picture);
  // The picture is still that of before while the next is on its way.
  const wanted = look.index?.length === picture.index.length ? look.index : picture.index;
  const [played, setPlayed] = useState<number>();
  const set = (at: number, place: number): void => {
    const { dims, facets } = picture;
    onLook({ dims, facets, index: wanted.map((now, of) => (of === at ? place : now)) });
  };
  const sizeAt = (at: number): number => picture.shape[others[at] ?? 0] ?? 1;
  const isThere = JSON.stringify(wanted) === JSON.stringify(picture.index);
  useEffect(() => {
    if (played === undefined || !isThere) return undefined;
    const next = (wanted[played] ?? 0) + 1;
    if (next >= sizeAt(played)) {
      setPlayed(undefined);
      return undefined;
    }
    const timer = setTimeout(() => set(played, next), FRAME_MS);
    return () => clearTimeout(timer);
  }, [played, isThere, JSON.stringify(wanted)]);
  // Other dimensions are others to play.
  useEffect(() => setPlayed(undefined), [JSON.stringify([picture.shape, others])]);
  const toggle = (at: number): void => {
    const isLast = wanted[at] === sizeAt(at) - 1;
    if (played !== at && isLast) set(at, 0);
    setPlayed(played === at ? undefined : at);
  };
  return (
    <>
      {others.map((dim, at) => (
        <Index
          name={dimText(picture, dim, sizeAt(at))}
          size={sizeAt(at)}
          place={wanted[at] ?? 0}
          isPlayed={played === at}
          onPlace={(place) => set(at, place)}
          onPlay={() => toggle(at)}
        />
      ))}
    </>
  );
}

interface IndexProps {
  readonly name: string;
  readonly size: number;
  readonly place: number;
  readonly isPlayed: boolean;
  readonly onPlace: (place: number) => void;
  readonly onPlay: () => void;
}

function Index({ name, size, place, isPlayed, onPlace, onPlay }: IndexProps) {
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    const typed = Number(currentTarget.value);
    const chosen = typed < 0 ? typed + size : typed; // as in Python
    const isThere = currentTarget.value !== "" && Number.isInteger(chosen) && chosen >= 0 && chosen < size;
    if (isThere) onPlace(chosen);
    else currentTarget.value = String(place);
  };
  return (
    <span class="index">
      <label>
        {name}{" "}
        <input
          type="range"
          min={0}
          max={size - 1}
          value={place}
          onInput={onInput}
          aria-label={l10n.t("Index of {0}", name)}
        />
      </label>
      <input
        key={place} // what is being typed stays while the page hears of something else
        type="number"
        min={-size}
        max={size - 1}
        defaultValue={String(place)}
        onChange={onInput}
        aria-label={l10n.t("Typed index of {0}", name)}
      />
      {size > 1 && (
        <button
          type="button"
          class="play"
          title={isPlayed ? l10n.t("Pause") : l10n.t("Play the slices one after the other")}
          aria-label={isPlayed ? l10n.t("Pause {0}", name) : l10n.t("Play {0}", name)}
          onClick={onPlay}
        >
          {isPlayed ? "❚❚" : "▶"}
        </button>
      )}
    </span>
  );
}

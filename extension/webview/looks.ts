import type { FromPage, Look, ToPage } from "../src/protocol/page.ts";

/** What is looked at otherwise than before; undefined for what is as the helper has it without being told. */
export type LookChange = { readonly [Name in keyof Look]?: Look[Name] | undefined };

type Subject = Extract<ToPage, { type: "subject" }>;

/** How the page looks at the value. What the extension says of that counts once it has heard the page's last look. */
export class Looks {
  #look: Look = {};
  #number = 0;

  get now(): Look {
    return this.#look;
  }

  /** The user looks otherwise at it: what the extension is told. */
  change(change: LookChange): FromPage {
    const wanted = Object.entries({ ...this.#look, ...change }).filter(([, value]) => value !== undefined);
    this.#look = Object.fromEntries(wanted);
    this.#number += 1;
    return { type: "look", number: this.#number, look: this.#look };
  }

  /** What the extension says, with the look that counts. */
  hear(subject: Subject): Subject {
    const { heard } = subject;
    if (heard !== undefined && heard < this.#number) return { ...subject, look: this.#look };
    this.#number = heard ?? 0; // the page may be a new one
    this.#look = subject.look;
    return subject;
  }
}

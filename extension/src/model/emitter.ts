/** The model's own event: it never loads `vscode`, whose emitter looks the same. */
export class Emitter<T = void> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (error) {
        // The others are told all the same; VS Code logs what nobody catches.
        setTimeout(() => {
          throw error;
        });
      }
    }
  }
}

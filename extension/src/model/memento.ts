/** VS Code's `Memento`, as far as the model uses it: the workspace state, which is kept between sessions. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

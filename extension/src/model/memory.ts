/** What is kept between sessions: VS Code's workspace state. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

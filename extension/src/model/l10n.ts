type Translate = (message: string, ...args: (string | number)[]) => string;

/** English, until the extension hands over VS Code's translations. */
let translate: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)]));

export function useTranslations(l10n: Translate): void {
  translate = l10n;
}

/** The message in the user's language, `{0}` and so on filled in. */
export function t(message: string, ...args: (string | number)[]): string {
  return translate(message, ...args);
}

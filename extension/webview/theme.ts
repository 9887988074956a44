/** The colours that VS Code gives a page, for what is drawn on a canvas. */
export interface Theme {
  readonly foreground: string;
  readonly quiet: string;
  readonly border: string;
  readonly background: string;
  readonly accent: string;
  readonly font: string;
}

export function theme(): Theme {
  const style = getComputedStyle(document.body);
  const colour = (name: string, other: string): string => style.getPropertyValue(`--vscode-${name}`).trim() || other;
  return {
    foreground: colour("foreground", "#888"),
    quiet: colour("descriptionForeground", "#888"),
    border: colour("contrastBorder", colour("panel-border", "#8888")),
    background: colour("panel-background", colour("editor-background", "#fff")),
    accent: colour("charts-blue", "#3794ff"),
    font: `10px ${style.fontFamily}`,
  };
}

/** Calls back when the user chooses another theme: VS Code changes the classes of the body. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
  return () => observer.disconnect();
}

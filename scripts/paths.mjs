/** The paths of what the set-up makes. */
import path from "node:path";
import { fileURLToPath } from "node:url";

const windows = process.platform === "win32";

export const root = path.resolve(fileURLToPath(import.meta.url), "..", "..");
export const cache = path.join(root, ".cache");
export const venv = path.join(root, ".venv");
export const venvBin = path.join(venv, windows ? "Scripts" : "bin");

/** The interpreter with debugpy and torch. */
export const python = path.join(venvBin, windows ? "python.exe" : "python");

export const codeServer = path.join(cache, "code-server", "node_modules", "code-server");

/** What Node runs as code-server. */
export const codeServerEntry = path.join(codeServer, "out", "node", "entry.js");

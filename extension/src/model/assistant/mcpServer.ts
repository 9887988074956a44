import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { MCP_VERSIONS, type McpCall, mcpReply, RunningRequests } from "./mcpMessages.ts";

const HOST = "127.0.0.1";
const PATH = "/mcp";
/** The longest body that is read, in bytes. */
const LONGEST_BODY = 64 * 1024;
const MOST_CONNECTIONS = 32;

/** How an assistant outside VS Code reaches the tools. */
export interface McpEndpoint {
  readonly url: string;
  readonly token: string;
}

/** What a server needs of others. */
export type McpService = Omit<McpCall, "signal" | "running" | "session"> & { readonly log: (text: string) => void };

/** The tools by the Model Context Protocol, over Streamable HTTP: on this machine alone, and only for who has the token. */
export class McpServer {
  readonly endpoint: McpEndpoint;
  readonly #server: Server;

  private constructor(server: Server, endpoint: McpEndpoint) {
    this.#server = server;
    this.endpoint = endpoint;
  }

  /**
   * Starts one on a free port.
   * @throws Error where this machine gives none
   */
  static async start(served: McpService): Promise<McpServer> {
    const { createServer } = await import("node:http");
    const call = { ...served, running: new RunningRequests() };
    const token = randomBytes(32).toString("base64url");
    const server = createServer((request, response) => {
      void handle(request, response, token, call).catch((error: unknown) => {
        served.log(`mcp: ${String(error)}`);
        refuse(response, 500);
      });
    });
    server.maxConnections = MOST_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, HOST, resolve);
    });
    const { port } = server.address() as AddressInfo;
    return new McpServer(server, { url: `http://${HOST}:${port}${PATH}`, token });
  }

  /** Fulfilled when its port is free again. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  call: Omit<McpCall, "signal" | "session">,
): Promise<void> {
  const refusal = refusalOf(request, token);
  if (refusal !== undefined) {
    refuse(response, refusal);
    return;
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    refuse(response, 413);
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const given = request.headers["mcp-session-id"];
  const session = typeof given === "string" ? given : randomUUID();
  const reply = await mcpReply(body, { ...call, session, signal: gone.signal });
  const headers = { "Content-Type": "application/json", "Mcp-Session-Id": session };
  if (reply === undefined) response.writeHead(202).end();
  else response.writeHead(200, headers).end(JSON.stringify(reply));
}

/** The status with which a request is refused; undefined where it is not. A page in a browser must not get here. */
function refusalOf({ headers, method, url }: IncomingMessage, token: string): number | undefined {
  if (!isOwn(headers.host) || (headers.origin !== undefined && !isOwnOrigin(headers.origin))) return 403;
  if (url !== PATH) return 404;
  if (!isToken(headers.authorization, token)) return 401;
  if (method !== "POST") return 405;
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return 415;
  const version = headers["mcp-protocol-version"];
  return version === undefined || MCP_VERSIONS.includes(String(version)) ? undefined : 400;
}

/** A name by which this machine reaches itself, whatever the port: another site's name may lead here too. */
function isOwn(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(host);
}

function isOwnOrigin(origin: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(origin);
}

function isToken(authorization: string | undefined, token: string): boolean {
  const [given, wanted] = [authorization ?? "", `Bearer ${token}`].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The body; undefined where it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > LONGEST_BODY) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

const ALSO: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { "WWW-Authenticate": "Bearer" },
  405: { Allow: "POST" },
  413: { Connection: "close" },
};

function refuse(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status, ALSO[status]);
  response.end();
}

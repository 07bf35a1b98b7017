/** Sends requests to the running host. Reads a JSON response or an event stream; throws the host's errors. */
import { cancelled, HostError, deserializeError, VERSION_HEADER } from "@plugboard/contracts";
import type { FetchLike, RemoteResponse } from "./http/fetch-like.ts";
import { readEvents } from "./http/read-events.ts";

type Method = "GET" | "POST" | "DELETE";

export class ControlClient {
  readonly #fetch: FetchLike;
  readonly #version: string;

  constructor(fetch: FetchLike, version: string) {
    this.#fetch = fetch;
    this.#version = version;
  }

  async requestJson(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    const response = await this.#send(method, path, body, signal);
    try {
      const text = await readText(response);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    } catch (error) {
      throw hostUnreachable(error);
    }
  }

  async *requestEvents(method: Method, path: string, body: unknown, signal?: AbortSignal): AsyncGenerator {
    const response = await this.#send(method, path, body, signal);
    try {
      yield* readEvents(response.body);
    } catch (error) {
      // The reader has aborted the stream, so this is its end and not a failure.
      if (!signal?.aborted) throw hostUnreachable(error);
    }
  }

  async #send(method: Method, path: string, body: unknown, signal: AbortSignal | undefined): Promise<RemoteResponse> {
    let response: RemoteResponse;
    try {
      response = await this.#fetch(path, {
        method,
        signal,
        headers: { [VERSION_HEADER]: this.#version, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      if (signal?.aborted) throw cancelled();
      throw hostUnreachable(error);
    }
    if (response.status < 300) return response;
    throw await readError(response);
  }
}

function hostUnreachable(error: unknown): HostError {
  const { code, message } = error as { code?: string; message?: string };
  return new HostError("HOST_UNREACHABLE", { reason: code ?? message ?? "no response" }, { cause: error });
}

async function readText({ body }: RemoteResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Returns HOST_UNREACHABLE if the connection ends before the whole error has arrived. */
async function readError(response: RemoteResponse): Promise<HostError> {
  try {
    return deserializeError(tryParseError(await readText(response)));
  } catch (error) {
    return hostUnreachable(error);
  }
}

function tryParseError(text: string): unknown {
  try {
    const parsed = JSON.parse(text) as { error?: unknown };
    return parsed.error ?? parsed;
  } catch {
    return text;
  }
}

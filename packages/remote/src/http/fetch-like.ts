/** The part of HTTP that a remote host needs. Browsers, sockets and tests implement it differently. */
export type FetchLike = (path: string, request: RemoteRequest) => Promise<RemoteResponse>;

export interface RemoteRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteResponse {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A client of the running host. `node/` sends its requests in Node. */
export type { FetchLike, RemoteRequest, RemoteResponse } from "./http/fetch-like.ts";
export { connectRemote } from "./remote-host.ts";
export type { OpenedWorkspace, RemoteHost, RemoteOptions } from "./remote-host.ts";
export type { RemoteWorkspace } from "./remote-workspace.ts";

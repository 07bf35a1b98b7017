/** What a person does to the host, for the daemon and for a command without a running host. */
export { HostOperations } from "./operations/host-operations.ts";
export type { HostOperationsOptions } from "./operations/host-operations.ts";

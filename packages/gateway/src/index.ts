export { Gateway } from "./gateway.ts";
export type { GatewayOptions } from "./gateway.ts";

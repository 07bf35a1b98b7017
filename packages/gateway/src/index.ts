export { Gateway } from "./gateway.ts";
export type { GatewayOptions } from "./gateway.ts";
export { frontToolName } from "./profiles/front-tool-name.ts";
export { selectionOf } from "./profiles/selection.ts";

export { Gateway } from "./gateway.ts";
export type { GatewayOptions } from "./gateway.ts";
export {
  ArrivingBodies,
  clientDisconnectSignal,
  findExceededBound,
  HttpSessions,
  PipelineLimiter,
} from "@plugboard/mcp/front";
export { frontToolName } from "./profiles/front-tool-name.ts";
export { selectionOf } from "./profiles/selection.ts";
export { steadyNow, systemClock } from "@plugboard/mcp";
export type { Clock } from "@plugboard/mcp";

export { abortableDelay } from "./abortable-delay.ts";
export { steadyNow, systemClock } from "./clock.ts";
export type { Clock } from "./clock.ts";

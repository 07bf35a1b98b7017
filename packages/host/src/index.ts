export { createHost } from "./create-host.ts";
export type { CreateHostOptions, EmbeddedHost } from "./create-host.ts";
export { Host } from "./host.ts";
export type { HostOptions } from "./host.ts";
export type { AnswerPort } from "./inbox/answer-port.ts";
export { checkField } from "./inbox/check-answer.ts";
export { VERSION } from "./version.ts";

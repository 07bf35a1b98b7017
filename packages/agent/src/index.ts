/** The agent loop, its models and its history, for programs. `chat/` joins them with a workspace of a host. */
export { compactHistory } from "./loop/compact-history.ts";
export type { Compaction, CompactOptions } from "./loop/compact-history.ts";
export { EMPTY_HISTORY } from "./loop/history.ts";
export type { History } from "./loop/history.ts";
export type { DeltaPart, FinishReason, Model, ModelPart, ModelRequest } from "./loop/model.ts";
export { runTurn } from "./loop/run-turn.ts";
export type { TurnLimits, TurnOptions } from "./loop/run-turn.ts";
export type { ToolCallOptions, ToolDefinition, ToolOutput, Tools } from "./loop/tools.ts";
export type { Price } from "./loop/usage.ts";
export { chooseModel } from "./models/choose-model.ts";
export type {
  ChosenModel,
  ModelConfig,
  ModelFacts,
  ModelSettings,
  ModelSources,
  ProviderSettings,
} from "./models/choose-model.ts";
export { findLocalModels } from "./models/find-local-models.ts";
export type { FindLocalOptions, LocalModels } from "./models/find-local-models.ts";
export { openModel } from "./models/open-model.ts";
export type { OpenModelOptions } from "./models/open-model.ts";
export type { RetryOptions } from "./models/with-retries.ts";

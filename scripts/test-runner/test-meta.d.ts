import "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Ids of the requirements (docs/requirements.json) and faults (docs/faults.json) that a test covers. */
    covers?: string[];
  }
}

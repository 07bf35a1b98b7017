import "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The requirements (docs/requirements.json) and faults (docs/faults.json) that a test shows. */
    covers?: string[];
  }
}

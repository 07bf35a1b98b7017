import "vitest";

declare module "vitest" {
  interface TaskMeta {
    /**
     * Ids of the requirements (docs/evidence/requirements.json) and faults (docs/evidence/faults.json) that a test
     * covers.
     */
    covers?: string[];
  }
}

/** The key in `_meta` of a result that does not match its output schema. The value is the reason. */
export const SCHEMA_MISMATCH_KEY = "plugboard/outputSchemaMismatch";

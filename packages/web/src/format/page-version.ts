/** The version of the page. Set by the build. */
declare const PLUGBOARD_VERSION: string;

export const PAGE_VERSION = PLUGBOARD_VERSION;

/** The icons of the navigation, drawn for this page. */
const PATHS = {
  servers: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  tools: "M12.5 3.5a4 4 0 0 0-4.6 5.3L3 13.7 6.3 17l4.9-4.9a4 4 0 0 0 5.3-4.6l-2.6 2.6-2.5-.9-.9-2.5z",
  content: "M5 3h7l4 4v10H5zM12 3v4h4M8 11h5M8 14h5",
  inbox: "M3 11l2.5-7h9L17 11v5H3zM3 11h4l1 2h4l1-2h4",
  activity: "M3 10h3l2.5-6 3.5 12 2.5-6H17",
  chat: "M3 4h14v10H9l-4 3v-3H3z",
  clients: "M4 5h12v8H4zM2 16h16M8 9h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} strokeLinecap="round" />
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f5f8b" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M9 11c0 8 14 2 14 10" />
        <circle cx="9" cy="9" r="2.4" fill="#fff" />
        <circle cx="23" cy="9" r="2.4" />
        <circle cx="9" cy="23" r="2.4" />
        <circle cx="23" cy="23" r="2.4" fill="#fff" />
      </g>
    </svg>
  );
}

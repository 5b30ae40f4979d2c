import type { JSX } from 'preact';

const paths = {
  fleet: 'M3 12h4l2.5-6 4 12 2.5-6H21',
  alerts: 'M12 4a5.5 5.5 0 0 0-5.5 5.5V14L5 17h14l-1.5-3V9.5A5.5 5.5 0 0 0 12 4zM10 20h4',
  devices: 'M3 8h11v8H3zM14 11l6-3v8l-6-3M6 19h5',
  incidents: 'M12 3l9 17H3zM12 10v4M12 17v.1',
  reports: 'M4 20h16M6 16v-5M11 16V6M16 16v-8',
  webhooks: 'M9 7a3 3 0 1 1 4.5 2.6L16 14M6.5 13A3 3 0 1 0 10 16h5M18 13a3 3 0 1 1-2 5.2M11.5 9.5L8 16',
  maintenance: 'M14.5 5.5a4 4 0 0 0-5 5L4 16v4h4l5.5-5.5a4 4 0 0 0 5-5l-2.5 2.5-3-1-1-3z',
  rules: 'M4 6h10M18 6h2M4 12h2M10 12h10M4 18h8M16 18h4M16 4v4M8 10v4M14 16v4',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1',
  teams:
    'M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 19c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5M16 5.5a3 3 0 0 1 0 5.5M17.5 14c2.1.6 3.5 2.4 3.5 5',
  quarantine: 'M12 3l8 4v5c0 4.5-3.4 8-8 9-4.600-1-8-4.500-8-9V7zM9.500 9.500l5 5M14.500 9.500l-5 5',
  audit: 'M7 3h10v18H7zM10 8h4M10 12h4M10 16h2.500',
  more: 'M5 12h.1M12 12h.1M19 12h.1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z',
  help: 'M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17v.1',
  search: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM15 15l4.5 4.5',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M14 6l-6 6 6 6',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M9 12h9',
  voice: 'M4 10v4h3l5 4V6L7 10zM15.5 9a4 4 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20c.6-3.600 3.700-6 7.500-6s6.900 2.400 7.500 6',
} as const;
export type IconName = keyof typeof paths;

/** A line drawing in the colour of the surrounding text, hidden from screen readers. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** What the page's own world is given in place of its clock, chance and animation. */
export interface DeterminismOptions {
  seed: number;
  /** Milliseconds since 1970 at which every document's clock starts. */
  clock: number;
  /** Wall-clock milliseconds at which the episode opened. */
  anchor: number;
}

/**
 * Replaces chance, time and motion in the page's own world. Runs in the page, before its scripts.
 *
 * The clock does not follow the wall: two runs would then differ by a few milliseconds, and with them
 * whatever a page prints of its clock. It moves by what happens: a little with each reading (so that loops
 * that wait for it end), by the delay of each timer that fires, by a sixtieth of a second a frame; and it
 * catches up with the wall in whole minutes, so that pages opened later in an episode see later times.
 * Workers keep their own clock and chance.
 */
export function installDeterminism(options: DeterminismOptions): void {
  const MINUTE = 60_000;
  const RealDate = Date;
  const realNow = Date.now.bind(Date);
  const wall = () => options.clock + Math.max(0, Math.floor((realNow() - options.anchor) / MINUTE)) * MINUTE;
  const origin = wall();
  let time = origin;
  const advance = (to: number) => {
    time = Math.max(time, to, wall());
    return time;
  };
  const read = () => advance(time + 0.01);
  const define = (target: object, name: string, value: unknown) =>
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

  // Chance. The path sets documents of an episode apart; the origin must not, since ports change from run to run.
  let state = (options.seed ^ 0x9e3779b9) >>> 0;
  for (const character of `${location.pathname}${location.search}${window === top ? "" : "frame"}${history.length}`) {
    state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0;
  }
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  define(Math, "random", () => next() / 2 ** 32);
  define(Crypto.prototype, "getRandomValues", <T extends ArrayBufferView>(array: T): T => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = next() & 255;
    return array;
  });
  define(Crypto.prototype, "randomUUID", () => {
    const hex = Array.from({ length: 16 }, () => next() & 255);
    hex[6] = (hex[6]! & 15) | 64;
    hex[8] = (hex[8]! & 63) | 128;
    const text = hex.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
  });

  // Time.
  const FakeDate = new Proxy(RealDate, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [Math.floor(read())] : args, self),
    apply: () => new RealDate(Math.floor(read())).toString(),
  });
  define(RealDate, "now", () => Math.floor(read()));
  define(RealDate.prototype, "constructor", FakeDate);
  define(globalThis, "Date", FakeDate);
  define(Performance.prototype, "now", () => read() - origin);
  Object.defineProperty(Performance.prototype, "timeOrigin", { get: () => origin, configurable: true });
  const stamps = new WeakMap<Event, number>();
  Object.defineProperty(Event.prototype, "timeStamp", {
    get(this: Event) {
      if (!stamps.has(this)) stamps.set(this, read() - origin);
      return stamps.get(this);
    },
    configurable: true,
  });
  const formats = Intl.DateTimeFormat.prototype;
  const format = Object.getOwnPropertyDescriptor(formats, "format")!.get!;
  Object.defineProperty(formats, "format", {
    get(this: Intl.DateTimeFormat) {
      const bound = format.call(this) as (date: number | Date) => string;
      return (date?: number | Date) => bound(date ?? Math.floor(read()));
    },
    configurable: true,
  });
  const toParts = formats.formatToParts;
  define(formats, "formatToParts", function (this: Intl.DateTimeFormat, date?: number | Date) {
    return toParts.call(this, date ?? Math.floor(read()));
  });
  // biome-ignore lint/suspicious/noExplicitAny: Temporal is newer than the type library.
  const Temporal = (globalThis as any).Temporal;
  if (Temporal?.Now) {
    const instant = () => Temporal.Instant.fromEpochMilliseconds(Math.floor(read()));
    const zoned = (zone?: unknown) => instant().toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId());
    define(Temporal.Now, "instant", instant);
    define(Temporal.Now, "zonedDateTimeISO", zoned);
    define(Temporal.Now, "plainDateTimeISO", (zone?: unknown) => zoned(zone).toPlainDateTime());
    define(Temporal.Now, "plainDateISO", (zone?: unknown) => zoned(zone).toPlainDate());
    define(Temporal.Now, "plainTimeISO", (zone?: unknown) => zoned(zone).toPlainTime());
  }
  for (const name of ["setTimeout", "setInterval"] as const) {
    const real = globalThis[name] as (handler: TimerHandler, delay?: number, ...args: unknown[]) => number;
    define(globalThis, name, (handler: TimerHandler, delay?: number, ...args: unknown[]) => {
      if (typeof handler !== "function") return real(handler, delay);
      let due = time + (Number(delay) || 0);
      return real(
        function (this: unknown, ...given: unknown[]) {
          advance(due);
          if (name === "setInterval") due += Number(delay) || 0;
          return handler.apply(this, given);
        },
        delay,
        ...args,
      );
    });
  }
  let frameStamp = -1;
  const realFrame = globalThis.requestAnimationFrame.bind(globalThis);
  define(globalThis, "requestAnimationFrame", (callback: FrameRequestCallback) =>
    realFrame((stamp) => {
      if (stamp !== frameStamp) advance(time + 1000 / 60);
      frameStamp = stamp;
      callback(time - origin);
    }),
  );

  // Motion. Animations are brought to rest when the page settles (quiet.ts), so that their events fire; what
  // is left is the caret and smooth scrolling.
  const css =
    "*, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important; }";
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  for (const root of [Document.prototype, ShadowRoot.prototype]) {
    const real = Object.getOwnPropertyDescriptor(root, "adoptedStyleSheets")!;
    Object.defineProperty(root, "adoptedStyleSheets", {
      get: real.get!,
      set(this: Document | ShadowRoot, sheets: CSSStyleSheet[]) {
        real.set!.call(this, [...[...sheets].filter((each) => each !== sheet), sheet]);
      },
      configurable: true,
      enumerable: true,
    });
  }
  document.adoptedStyleSheets = [];
  const attach = Element.prototype.attachShadow;
  define(Element.prototype, "attachShadow", function (this: Element, init: ShadowRootInit) {
    const root = attach.call(this, init);
    root.adoptedStyleSheets = [];
    return root;
  });
}

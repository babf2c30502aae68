const NOUNS =
  "anchor apple arrow badge basket beacon bell bridge brush button cabin candle canyon carpet castle chair cherry circle clock cloud coffee copper coral cotton crane crown daisy desert diamond dolphin dragon drum eagle ember engine falcon feather fern fiddle flute forest fossil garden ginger glacier guitar hammer harbor harvest hazel helmet honey island ivory jacket jasmine jungle kettle lantern lemon lily lizard magnet maple marble meadow melon mirror moon mountain needle nickel ocean olive onion orchid otter owl panda parrot pearl pebble pepper piano pigeon pine planet plum pocket poppy puzzle rabbit radar raven ribbon river rocket saddle saffron salmon shadow shell silver spider spruce stone sunset tiger timber tulip turtle umbrella velvet violin walnut whale willow window zebra".split(
    " ",
  );
const ADJECTIVES =
  "amber bold brave bright calm clever crisp deep early fancy gentle golden grand happy hidden icy jolly kind late lively lucky misty noble pale proud quick quiet rapid round royal rusty sharp shiny silent simple smooth soft solid steady sunny sweet tall tidy tiny vivid warm wide wild wise young".split(
    " ",
  );
const FIELDS =
  "Name,Email,City,Phone,Address,Company,Country,Title,Comment,Reference,Street,Nickname,Department,Username".split(
    ",",
  );
const SWITCHES =
  "Dark mode,Notifications,Sound,Auto save,Location,Bluetooth,Airplane mode,Night light,Spell check,Sync,Backup,Captions,Vibration,Updates,Compact view,Email alerts".split(
    ",",
  );
const SELECTS: Record<string, string[]> = {
  Colour: ["Red", "Green", "Blue", "Black", "White"],
  Size: ["Small", "Medium", "Large", "Extra large"],
  Country: ["France", "Norway", "Japan", "Brazil", "Kenya"],
  Language: ["English", "German", "Spanish", "Finnish"],
  Month: ["January", "March", "June", "October"],
  Shipping: ["Standard", "Express", "Pick up"],
  Priority: ["Low", "Normal", "High", "Urgent"],
  Currency: ["Euro", "Dollar", "Yen", "Krone"],
};

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** Words for training and, disjoint from them, for evaluation. */
export function vocabulary(split: "train" | "held-out") {
  const part = <T>(items: readonly T[]) => items.filter((_, i) => (i % 4 === 3) === (split === "held-out"));
  return {
    nouns: part(NOUNS),
    adjectives: part(ADJECTIVES),
    fields: FIELDS,
    switches: SWITCHES,
    selects: SELECTS,
    capital,
  };
}

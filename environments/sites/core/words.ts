/** Vocabulary of the sites: common English words, none a brand and none a role. */

function list(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}

/** Things one can picture; 4 to 9 letters. */
export const NOUNS = list(`
  anchor apple arrow autumn badge bakery ballot bamboo banner barrel basket beacon beetle bicycle biscuit blanket
  blossom bottle bridge bucket butter cabin cactus camera canal candle canoe canvas carpet carrot castle cavern
  cello chalk cherry chimney circus clover cobra coffee comet compass copper coral cottage cotton cradle crayon
  cricket crystal curtain cushion cyclone daisy dancer desert diamond dolphin donkey dragon drum eagle easel echo
  ember engine falcon feather fiddle fjord flask flute forest fossil fountain galaxy garden garlic garnet geyser
  ginger glacier goblet granite gravel guitar hammer harbor harvest hazel hedge helmet heron hollow honey horizon
  island ivory jacket jasmine jigsaw jungle juniper kayak kettle kitten ladder lagoon lantern lattice lemon library
  lighter lizard lobster locket magnet mango maple marble market meadow melon mirror mitten monsoon mosaic mountain
  muffin museum needle nettle nickel nutmeg oasis ocean olive onion orchard orchid otter oyster paddle palace panda
  papaya parrot pebble pelican pencil pepper piano pickle pigeon pillow pirate planet plaza plum pocket pollen
  poplar prairie prism pumpkin puppet puzzle quarry quartz quilt rabbit radish rafter rainbow ranger raven reef
  ribbon ripple river robin rocket saddle sailor salmon sandal saturn scarf shadow shelter silver sketch slipper
  sparrow spiral sponge spruce stable statue summit sunset swallow tailor tavern teapot temple thimble thistle
  thunder timber tornado trellis trumpet tulip tundra tunnel turnip turtle umbrella valley vanilla velvet village
  violin volcano waffle wagon walnut walrus warbler weaver whistle willow window winter wizard zebra zephyr
`);

/** Qualities; 3 to 8 letters. */
export const ADJECTIVES = list(`
  ancient angry bold brave brisk broken busy calm clever cosmic crisp curly dusty eager early fancy fast fine
  floral fresh frosty gentle giant glad golden grand happy hasty hidden humble icy jolly keen kind large late lively
  lonely loud lucky mellow merry mighty misty modern narrow neat nimble noble northern odd patient plain polite proud
  quick quiet rapid rare restless rustic rusty salty shiny shy silent simple sleepy slim smooth snowy soft solid
  southern spare spicy steady sturdy sunny sweet swift tall tender tidy tiny vivid warm western wild windy wise woolly
`);

/** Given names, for people on the sites. */
export const GIVEN_NAMES = list(`
  Ada Amir Anika Bea Bruno Carla Chidi Dara Dina Elio Emre Fatima Femi Greta Hana Hugo Ines Ivo Jonas Kaia Kofi Lars
  Leila Lena Lucia Malik Mara Mei Milo Nadia Nils Noor Oskar Petra Priya Rafael Ravi Rosa Samir Sofia Tariq Tess Tomas
  Uma Vera Viktor Wen Yara Yusuf Zoe
`);

/** Family names, for people on the sites. */
export const FAMILY_NAMES = list(`
  Abara Aldana Almeida Bakker Berg Castell Chaudhri Costa Dahl Demir Duarte Ekman Farouk Fontaine Garrido Haddad Holm
  Ibarra Iyer Jansen Kaya Keller Kimura Kovacs Lindqvist Lopes Madsen Mbeki Moreau Nakata Navarro Novak Okafor Olsen
  Osei Park Pereira Quist Rahman Reyes Romano Sato Silva Strand Tanaka Torres Varga Weiss Yilmaz Zeman
`);

/** Starts a text with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

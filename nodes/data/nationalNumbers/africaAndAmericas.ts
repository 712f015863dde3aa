/**
 * What is dialed behind each country code: how many digits, by the digits they begin with.
 * Africa and the Americas: zones 1, 2 and 5.
 *
 * Country codes are those of ITU-T E.164. The lengths are those of fixed and mobile numbers in the
 * metadata of Google's libphonenumber (as of libphonenumber-js 1.13.16). Other kinds, such as
 * freephone, are here if they begin otherwise. Left out are trunk prefixes, short numbers, and what
 * was dialed before a country changed its numbers: such a number is unclear.
 */
export const AFRICA_AND_AMERICAS: Readonly<Record<string, RegExp>> = {
	1: /^(?:[2-9]\d{9}|55501\d\d)$/, // North America; 555 01xx is for fiction
	20: /^(?:1[0-25]\d{8}|1[35]\d{6,7}|[2-9]\d{7,8})$/, // Egypt
	27: /^[1-9]\d{8}$/, // South Africa
	51: /^(?:[14-8]\d{7}|9\d{8})$/, // Peru
	52: /^1?[2-9]\d{9}$/, // Mexico
	53: /^(?:[34]\d{5,7}|[27]\d{6,7}|[56]\d{7}|8\d{9})$/, // Cuba
	54: /^(?:9?(?:11|[2-8]\d)\d{8}|1115\d{8}|[23]\d\d15\d{7}|[23]\d{3}15\d{6})$/, // Argentina
	55: /^(?:[1-9]\d9\d{8}|[1-9]\d[1-9]\d{7})$/, // Brazil
	56: /^[1-9]\d{8}$/, // Chile
	57: /^[369]\d{9}$/, // Colombia
	58: /^[1-9]\d{9}$/, // Venezuela
	211: /^[1-9]\d{8}$/, // South Sudan
	212: /^[1-9]\d{8}$/, // Morocco
	213: /^(?:[1-4]\d{7}|[5-9]\d{8})$/, // Algeria
	216: /^[1-9]\d{7}$/, // Tunisia
	218: /^[1-9]\d{8}$/, // Libya
	220: /^(?:[2-9]\d{6}|[48]\d{8})$/, // Gambia
	221: /^[1-9]\d{8}$/, // Senegal
	222: /^[1-9]\d{7}$/, // Mauritania
	223: /^[1-9]\d{7}$/, // Mali
	224: /^(?:3\d{7}|[67]\d{8})$/, // Guinea
	225: /^[02]\d{9}$/, // Côte d’Ivoire
	226: /^[1-9]\d{7}$/, // Burkina Faso
	227: /^[1-9]\d{7}$/, // Niger
	228: /^[1-9]\d{7}$/, // Togo
	229: /^01\d{8}$/, // Benin
	230: /^(?:[2-468]\d{6}|[57]\d{7})$/, // Mauritius
	231: /^(?:[4-6]\d{6}|2\d{7,8}|[3-578]\d{8})$/, // Liberia
	232: /^[1-9]\d{7}$/, // Sierra Leone
	233: /^[1-9]\d{8}$/, // Ghana
	234: /^[1-9]\d{9}$/, // Nigeria
	235: /^[1-9]\d{7}$/, // Chad
	236: /^[1-9]\d{7}$/, // Central African Republic
	237: /^[1-9]\d{8}$/, // Cameroon
	238: /^[1-9]\d{6}$/, // Cape Verde
	239: /^[1-9]\d{6}$/, // São Tomé & Príncipe
	240: /^[1-9]\d{8}$/, // Equatorial Guinea
	241: /^[167]\d{7}$/, // Gabon
	242: /^[02]\d{8}$/, // Congo
	243: /^(?:[13-68]\d{6}|2\d{6,7}|[189]\d{8}|5\d{9})$/, // DR Congo
	244: /^[1-9]\d{8}$/, // Angola
	245: /^[1-9]\d{8}$/, // Guinea-Bissau
	246: /^[1-9]\d{6}$/, // British Indian Ocean Territory
	247: /^[1-9]\d{4}$/, // Ascension
	248: /^[1-9]\d{6}$/, // Seychelles
	249: /^[1-9]\d{8}$/, // Sudan
	250: /^[27]\d{8}$/, // Rwanda
	251: /^[1-9]\d{8}$/, // Ethiopia
	252: /^(?:8\d{5}|[34]\d{5,6}|1\d{5,7}|5\d{6}|2\d{6,7}|[679]\d{7,8}|[348]\d{8})$/, // Somalia
	253: /^[1-9]\d{7}$/, // Djibouti
	254: /^(?:[4-6]\d{6,8}|2\d{7,8}|[17-9]\d{8})$/, // Kenya
	255: /^[1-9]\d{8}$/, // Tanzania
	256: /^[1-9]\d{8}$/, // Uganda
	257: /^[1-9]\d{7}$/, // Burundi
	258: /^(?:2\d{7}|8\d{8})$/, // Mozambique
	260: /^[1-9]\d{8}$/, // Zambia
	261: /^[1-9]\d{8}$/, // Madagascar
	262: /^[1-9]\d{8}$/, // Réunion, Mayotte
	263: /^[1-9]\d{8}$/, // Zimbabwe
	264: /^(?:6\d{7,8}|8\d{8})$/, // Namibia
	265: /^(?:1\d{6}|[1-37-9]\d{8})$/, // Malawi
	266: /^[1-9]\d{7}$/, // Lesotho
	267: /^(?:[2-69]\d{6}|8\d{6,7}|7\d{7})$/, // Botswana
	268: /^[1-9]\d{7}$/, // Eswatini
	269: /^[1-9]\d{6}$/, // Comoros
	290: /^(?:8\d{3}|[2569]\d{4})$/, // Saint Helena
	291: /^[1-9]\d{6}$/, // Eritrea
	297: /^[1-9]\d{6}$/, // Aruba
	298: /^[1-9]\d{5}$/, // Faroe Islands
	299: /^[1-9]\d{5}$/, // Greenland
	500: /^[1-9]\d{4}$/, // Falkland Islands
	501: /^[1-9]\d{6}$/, // Belize
	502: /^[1-9]\d{7}$/, // Guatemala
	503: /^[1-9]\d{7}$/, // El Salvador
	504: /^[1-9]\d{7}$/, // Honduras
	505: /^[1-9]\d{7}$/, // Nicaragua
	506: /^[1-9]\d{7}$/, // Costa Rica
	507: /^(?:[1-57-9]\d{6}|6\d{7})$/, // Panama
	508: /^(?:[2-9]\d{5}|[78]\d{8})$/, // St. Pierre & Miquelon
	509: /^[1-9]\d{7}$/, // Haiti
	590: /^[1-9]\d{8}$/, // Guadeloupe and others
	591: /^[1-9]\d{7}$/, // Bolivia
	592: /^[1-9]\d{6}$/, // Guyana
	593: /^(?:[2-7]\d{7}|1\d{7,8}|9\d{8})$/, // Ecuador
	594: /^[1-9]\d{8}$/, // French Guiana
	595: /^(?:[346-8]\d{6,8}|[25]\d{7,8}|9\d{8})$/, // Paraguay
	596: /^[1-9]\d{8}$/, // Martinique
	597: /^(?:[2-5]\d{5}|[6-9]\d{6})$/, // Suriname
	598: /^[1-9]\d{7}$/, // Uruguay
	599: /^(?:[3467]\d{6}|9\d{7})$/, // Caribbean Netherlands, Curaçao
};

/**
 * What is dialed behind each country code: how many digits, by the digits they begin with.
 * Europe, Asia and the Pacific, and numbers of no country: zones 3, 4 and 6 to 9.
 *
 * Country codes are those of ITU-T E.164. The lengths are those of fixed and mobile numbers in the
 * metadata of Google's libphonenumber (as of libphonenumber-js 1.13.16). Other kinds, such as
 * freephone, are here if they begin otherwise. Left out are trunk prefixes, short numbers, and what
 * was dialed before a country changed its numbers: such a number is unclear.
 */
export const EUROPE_ASIA_PACIFIC: Readonly<Record<string, RegExp>> = {
	7: /^[3-9]\d{9}$/, // Russia, Kazakhstan
	30: /^[1-9]\d{9}$/, // Greece
	31: /^(?:[1-9]\d{8}|97\d{9})$/, // Netherlands
	32: /^(?:[1-35-9]\d{7}|4\d{7,8})$/, // Belgium
	33: /^[1-9]\d{8}$/, // France
	34: /^[1-9]\d{8}$/, // Spain
	36: /^(?:[1-9]\d{7}|(?:[237]0|31|50)\d{7})$/, // Hungary
	39: /^(?:0\d{5,10}|3\d{9})$/, // Italy
	40: /^[2-9]\d{8}$/, // Romania
	41: /^[1-9]\d{8}$/, // Switzerland
	43: /^(?:1\d{3,12}|[2-57-9]\d{5,12}|6\d{6,12})$/, // Austria
	44: /^(?:[1-9]\d{9}|1\d{8}|800\d{6})$/, // United Kingdom
	45: /^[1-9]\d{7}$/, // Denmark
	46: /^(?:[1-4689]\d{6,8}|5\d{7,8}|7\d{8})$/, // Sweden
	47: /^[1-9]\d{7}$/, // Norway
	48: /^[1-9]\d{8}$/, // Poland
	49: /^(?:1\d{7,10}|[2-9]\d{4,10})$/, // Germany
	60: /^(?:[4-9]\d{7}|3\d{8}|1\d{8,9})$/, // Malaysia
	61: /^[1-9]\d{8}$/, // Australia
	62: /^(?:1\d{6}|[236]\d{6,10}|[4579]\d{7,10}|1\d{8,10}|8\d{8,11})$/, // Indonesia
	63: /^(?:[2-8]\d{8}|9\d{9})$/, // Philippines
	64: /^(?:8\d{4,9}|5\d{6}|[34679]\d{7}|2\d{7,9}|5\d{8,9}|1\d{9})$/, // New Zealand
	65: /^[1-9]\d{7}$/, // Singapore
	66: /^(?:[2-57]\d{7}|1\d{7,8}|[689]\d{8})$/, // Thailand
	81: /^(?:[1-5]\d{8}|[6-9]\d{8,9})$/, // Japan
	82: /^(?:1\d{8,9}|2\d{7,8}|[3-7]\d{8,9})$/, // South Korea
	84: /^(?:[35789]\d{8}|2\d{9})$/, // Vietnam
	86: /^(?:1[3-9]\d{9}|(?:10|2\d)\d{8}|[3-9]\d{9,10})$/, // China
	90: /^[1-9]\d{9}$/, // Türkiye
	91: /^[1-9]\d{9}$/, // India
	92: /^(?:1\d{8}|[24-9]\d{8,9}|3\d{9})$/, // Pakistan
	93: /^[1-9]\d{8}$/, // Afghanistan
	94: /^[1-9]\d{8}$/, // Sri Lanka
	95: /^(?:1\d{5,7}|2\d{5,8}|[4-8]\d{6,8}|9\d{7,9})$/, // Myanmar
	98: /^[1-9]\d{9}$/, // Iran
	350: /^[1-9]\d{7}$/, // Gibraltar
	351: /^[1-9]\d{8}$/, // Portugal
	352: /^(?:6\d{8}|[2-57-9]\d{5}|[2-57-9]\d{7})$/, // Luxembourg
	353: /^(?:[2569]\d{6,8}|4\d{6,9}|1\d{7,8}|[78]\d{8})$/, // Ireland
	354: /^(?:[4-9]\d{6}|3\d{8})$/, // Iceland
	355: /^(?:9\d{5}|[2-578]\d{7}|6\d{8})$/, // Albania
	356: /^[1-9]\d{7}$/, // Malta
	357: /^[1-9]\d{7}$/, // Cyprus
	358: /^(?:[1-36-9]\d{4,8}|4\d{5,9}|5[1-8]\d{3,7}|50\d{4,8})$/, // Finland
	359: /^(?:2\d{5,7}|[3-7]\d{6,7}|[89]\d{6,8})$/, // Bulgaria
	370: /^[1-9]\d{7}$/, // Lithuania
	371: /^[1-9]\d{7}$/, // Latvia
	372: /^(?:[34679]\d{6}|[58]\d{6,7})$/, // Estonia
	373: /^[1-9]\d{7}$/, // Moldova
	374: /^[1-9]\d{7}$/, // Armenia
	375: /^[1-9]\d{8}$/, // Belarus
	376: /^(?:[135-9]\d{5}|1\d{7}|6\d{8})$/, // Andorra
	377: /^(?:[3489]\d{7}|[67]\d{8})$/, // Monaco
	378: /^(?:0549\d{6}|6\d{7})$/, // San Marino
	380: /^[1-9]\d{8}$/, // Ukraine
	381: /^(?:[1-37-9]\d{6,9}|6\d{7,9})$/, // Serbia
	382: /^[1-9]\d{7}$/, // Montenegro
	383: /^(?:[234]\d{7}|[23]\d{8})$/, // Kosovo
	385: /^(?:[68]\d{6,8}|[17]\d{7}|[2-59]\d{7,8})$/, // Croatia
	386: /^[1-9]\d{7}$/, // Slovenia
	387: /^(?:[3-57-9]\d{7}|6\d{7,8})$/, // Bosnia & Herzegovina
	389: /^[1-9]\d{7}$/, // North Macedonia
	420: /^[1-9]\d{8}$/, // Czechia
	421: /^[2-9]\d{8}$/, // Slovakia
	423: /^(?:[237]\d{6}|6\d{8})$/, // Liechtenstein
	670: /^(?:[2-489]\d{6}|7\d{7})$/, // Timor-Leste
	672: /^[1-9]\d{5}$/, // Australian territories
	673: /^[1-9]\d{6}$/, // Brunei
	674: /^[1-9]\d{6}$/, // Nauru
	675: /^(?:[1-69]\d{6}|8\d{6,7}|7\d{7})$/, // Papua New Guinea
	676: /^(?:[2-8]\d{4}|[5-9]\d{6})$/, // Tonga
	677: /^(?:[1-6]\d{4}|[6-9]\d{6})$/, // Solomon Islands
	678: /^(?:[2-48]\d{4}|[57-9]\d{6})$/, // Vanuatu
	679: /^[1-9]\d{6}$/, // Fiji
	680: /^[1-9]\d{6}$/, // Palau
	681: /^[1-9]\d{5}$/, // Wallis & Futuna
	682: /^[1-9]\d{4}$/, // Cook Islands
	683: /^(?:[4-7]\d{3}|8\d{6})$/, // Niue
	685: /^(?:[2-5]\d{4}|6\d{4,5}|[78]\d{6}|8\d{9})$/, // Samoa
	686: /^(?:[2-58]\d{4}|[67]\d{7})$/, // Kiribati
	687: /^[1-9]\d{5}$/, // New Caledonia
	688: /^(?:2\d{4}|9\d{5}|7\d{6})$/, // Tuvalu
	689: /^[1-9]\d{7}$/, // French Polynesia
	690: /^[2-47]\d{3,6}$/, // Tokelau
	691: /^[1-9]\d{6}$/, // Micronesia
	692: /^[1-9]\d{6}$/, // Marshall Islands
	800: /^[1-9]\d{7}$/, // International freephone
	808: /^[1-9]\d{7}$/, // International shared cost
	850: /^(?:[2-8]\d{7}|1\d{9})$/, // North Korea
	852: /^[1-9]\d{7}$/, // Hong Kong
	853: /^[1-9]\d{7}$/, // Macao
	855: /^[1-9]\d{7,8}$/, // Cambodia
	856: /^(?:[24-8]\d{7}|3\d{7,8}|2\d{9})$/, // Laos
	870: /^(?:[1-9]\d{8}|7\d{11})$/, // Inmarsat
	878: /^10\d{10}$/, // Universal personal numbers
	880: /^(?:[57-9]\d{5,8}|[346]\d{6,9}|2\d{7,9}|1\d{9})$/, // Bangladesh
	881: /^[1-9]\d{8,9}$/, // Satellite phones
	882: /^[1-9]\d{6,11}$/, // International networks
	883: /^[1-9]\d{7,11}$/, // International networks
	886: /^(?:7\d{7}|[2-68]\d{7,8}|9\d{8})$/, // Taiwan
	888: /^[1-9]\d{10}$/, // Disaster relief
	960: /^[1-9]\d{6}$/, // Maldives
	961: /^(?:[13-69]\d{6}|[78]\d{6,7}|2\d{7})$/, // Lebanon
	962: /^(?:[235689]\d{7}|[47]\d{8})$/, // Jordan
	963: /^(?:4\d{7}|[1-35]\d{7,8}|9\d{8})$/, // Syria
	964: /^(?:1\d{7}|[2-6]\d{7,8}|7\d{9})$/, // Iraq
	965: /^[1-9]\d{7}$/, // Kuwait
	966: /^[1-9]\d{8}$/, // Saudi Arabia
	967: /^(?:[2-7]\d{6}|1\d{6,7}|7\d{8})$/, // Yemen
	968: /^[1-9]\d{7}$/, // Oman
	970: /^(?:[2489]\d{7}|5\d{8})$/, // Palestine
	971: /^(?:8\d{4,8}|[2-4679]\d{7}|5\d{8})$/, // United Arab Emirates
	972: /^(?:[2-489]\d{7}|[57]\d{8})$/, // Israel
	973: /^[1-9]\d{7}$/, // Bahrain
	974: /^[1-9]\d{7}$/, // Qatar
	975: /^(?:[2-6]\d{6}|[78]\d{6,7}|1\d{7})$/, // Bhutan
	976: /^(?:[5-9]\d{7}|[12]\d{7,9})$/, // Mongolia
	977: /^(?:[1-9]\d{7}|9\d{9})$/, // Nepal
	979: /^[1-9]\d{8}$/, // International premium rate
	992: /^[1-9]\d{8}$/, // Tajikistan
	993: /^[1-9]\d{7}$/, // Turkmenistan
	994: /^[1-9]\d{8}$/, // Azerbaijan
	995: /^[1-9]\d{8}$/, // Georgia
	996: /^[1-9]\d{8}$/, // Kyrgyzstan
	998: /^[1-9]\d{8}$/, // Uzbekistan
};

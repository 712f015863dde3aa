/**
 * The time zones behind each country code, from IANA's time zone database (2025b). If a country has
 * several, one stands for all whose clocks show the same time in 2026 and 2027.
 * Europe, Asia and the Pacific: zones 3, 4 and 6 to 9.
 */
export const EUROPE_ASIA_PACIFIC: Readonly<Record<string, readonly string[]>> = {
	7: [
		'Europe/Kaliningrad',
		'Europe/Moscow',
		'Europe/Astrakhan',
		'Asia/Yekaterinburg',
		'Asia/Omsk',
		'Asia/Novosibirsk',
		'Asia/Irkutsk',
		'Asia/Chita',
		'Asia/Vladivostok',
		'Asia/Magadan',
		'Asia/Kamchatka',
	], // Russia, Kazakhstan
	30: ['Europe/Athens'], // Greece
	31: ['Europe/Amsterdam'], // Netherlands
	32: ['Europe/Brussels'], // Belgium
	33: ['Europe/Paris'], // France
	34: ['Europe/Madrid', 'Atlantic/Canary'], // Spain
	36: ['Europe/Budapest'], // Hungary
	39: ['Europe/Rome'], // Italy
	40: ['Europe/Bucharest'], // Romania
	41: ['Europe/Zurich'], // Switzerland
	43: ['Europe/Vienna'], // Austria
	44: ['Europe/London'], // United Kingdom
	45: ['Europe/Copenhagen'], // Denmark
	46: ['Europe/Stockholm'], // Sweden
	47: ['Europe/Oslo'], // Norway
	48: ['Europe/Warsaw'], // Poland
	49: ['Europe/Berlin'], // Germany
	60: ['Asia/Kuala_Lumpur'], // Malaysia
	61: [
		'Australia/Lord_Howe',
		'Australia/Sydney',
		'Australia/Broken_Hill',
		'Australia/Brisbane',
		'Australia/Darwin',
		'Australia/Perth',
		'Australia/Eucla',
		'Indian/Christmas',
		'Indian/Cocos',
	], // Australia
	62: ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura'], // Indonesia
	63: ['Asia/Manila'], // Philippines
	64: ['Pacific/Auckland', 'Pacific/Chatham'], // New Zealand
	65: ['Asia/Singapore'], // Singapore
	66: ['Asia/Bangkok'], // Thailand
	81: ['Asia/Tokyo'], // Japan
	82: ['Asia/Seoul'], // South Korea
	84: ['Asia/Ho_Chi_Minh'], // Vietnam
	86: ['Asia/Shanghai'], // China
	90: ['Europe/Istanbul'], // Türkiye
	91: ['Asia/Kolkata'], // India
	92: ['Asia/Karachi'], // Pakistan
	93: ['Asia/Kabul'], // Afghanistan
	94: ['Asia/Colombo'], // Sri Lanka
	95: ['Asia/Yangon'], // Myanmar
	98: ['Asia/Tehran'], // Iran
	350: ['Europe/Gibraltar'], // Gibraltar
	351: ['Europe/Lisbon', 'Atlantic/Azores'], // Portugal
	352: ['Europe/Luxembourg'], // Luxembourg
	353: ['Europe/Dublin'], // Ireland
	354: ['Atlantic/Reykjavik'], // Iceland
	355: ['Europe/Tirane'], // Albania
	356: ['Europe/Malta'], // Malta
	357: ['Asia/Nicosia'], // Cyprus
	358: ['Europe/Helsinki'], // Finland
	359: ['Europe/Sofia'], // Bulgaria
	370: ['Europe/Vilnius'], // Lithuania
	371: ['Europe/Riga'], // Latvia
	372: ['Europe/Tallinn'], // Estonia
	373: ['Europe/Chisinau'], // Moldova
	374: ['Asia/Yerevan'], // Armenia
	375: ['Europe/Minsk'], // Belarus
	376: ['Europe/Andorra'], // Andorra
	377: ['Europe/Monaco'], // Monaco
	378: ['Europe/San_Marino'], // San Marino
	380: ['Europe/Kyiv'], // Ukraine
	381: ['Europe/Belgrade'], // Serbia
	382: ['Europe/Podgorica'], // Montenegro
	383: ['Europe/Belgrade'], // Kosovo
	385: ['Europe/Zagreb'], // Croatia
	386: ['Europe/Ljubljana'], // Slovenia
	387: ['Europe/Sarajevo'], // Bosnia & Herzegovina
	389: ['Europe/Skopje'], // North Macedonia
	420: ['Europe/Prague'], // Czechia
	421: ['Europe/Bratislava'], // Slovakia
	423: ['Europe/Vaduz'], // Liechtenstein
	670: ['Asia/Dili'], // Timor-Leste
	672: ['Pacific/Norfolk'], // Norfolk Island
	673: ['Asia/Brunei'], // Brunei
	674: ['Pacific/Nauru'], // Nauru
	675: ['Pacific/Port_Moresby', 'Pacific/Bougainville'], // Papua New Guinea
	676: ['Pacific/Tongatapu'], // Tonga
	677: ['Pacific/Guadalcanal'], // Solomon Islands
	678: ['Pacific/Efate'], // Vanuatu
	679: ['Pacific/Fiji'], // Fiji
	680: ['Pacific/Palau'], // Palau
	681: ['Pacific/Wallis'], // Wallis & Futuna
	682: ['Pacific/Rarotonga'], // Cook Islands
	683: ['Pacific/Niue'], // Niue
	685: ['Pacific/Apia'], // Samoa
	686: ['Pacific/Tarawa', 'Pacific/Kanton', 'Pacific/Kiritimati'], // Kiribati
	687: ['Pacific/Noumea'], // New Caledonia
	688: ['Pacific/Funafuti'], // Tuvalu
	689: ['Pacific/Tahiti', 'Pacific/Marquesas', 'Pacific/Gambier'], // French Polynesia
	690: ['Pacific/Fakaofo'], // Tokelau
	691: ['Pacific/Chuuk', 'Pacific/Pohnpei'], // Micronesia
	692: ['Pacific/Majuro'], // Marshall Islands
	850: ['Asia/Pyongyang'], // North Korea
	852: ['Asia/Hong_Kong'], // Hong Kong
	853: ['Asia/Macau'], // Macao
	855: ['Asia/Phnom_Penh'], // Cambodia
	856: ['Asia/Vientiane'], // Laos
	880: ['Asia/Dhaka'], // Bangladesh
	886: ['Asia/Taipei'], // Taiwan
	960: ['Indian/Maldives'], // Maldives
	961: ['Asia/Beirut'], // Lebanon
	962: ['Asia/Amman'], // Jordan
	963: ['Asia/Damascus'], // Syria
	964: ['Asia/Baghdad'], // Iraq
	965: ['Asia/Kuwait'], // Kuwait
	966: ['Asia/Riyadh'], // Saudi Arabia
	967: ['Asia/Aden'], // Yemen
	968: ['Asia/Muscat'], // Oman
	970: ['Asia/Jerusalem', 'Asia/Gaza'], // Palestine
	971: ['Asia/Dubai'], // United Arab Emirates
	972: ['Asia/Jerusalem', 'Asia/Gaza'], // Israel
	973: ['Asia/Bahrain'], // Bahrain
	974: ['Asia/Qatar'], // Qatar
	975: ['Asia/Thimphu'], // Bhutan
	976: ['Asia/Ulaanbaatar', 'Asia/Hovd'], // Mongolia
	977: ['Asia/Kathmandu'], // Nepal
	992: ['Asia/Dushanbe'], // Tajikistan
	993: ['Asia/Ashgabat'], // Turkmenistan
	994: ['Asia/Baku'], // Azerbaijan
	995: ['Asia/Tbilisi'], // Georgia
	996: ['Asia/Bishkek'], // Kyrgyzstan
	998: ['Asia/Samarkand'], // Uzbekistan
};

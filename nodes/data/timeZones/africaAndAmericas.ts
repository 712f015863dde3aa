/**
 * The time zones behind each country code, from IANA's time zone database (2025b). If a country has
 * several, one stands for all whose clocks show the same time in 2026 and 2027.
 * Africa and the Americas: zones 1, 2 and 5, with islands in the Pacific that share code 1.
 */
export const AFRICA_AND_AMERICAS: Readonly<Record<string, readonly string[]>> = {
	1: [
		'America/New_York',
		'America/Chicago',
		'America/Denver',
		'America/Phoenix',
		'America/Los_Angeles',
		'America/Anchorage',
		'America/Adak',
		'Pacific/Honolulu',
		'America/St_Johns',
		'America/Halifax',
		'America/Puerto_Rico',
		'America/Jamaica',
		'America/Regina',
	], // North America
	20: ['Africa/Cairo'], // Egypt
	27: ['Africa/Johannesburg'], // South Africa
	51: ['America/Lima'], // Peru
	52: [
		'America/Mexico_City',
		'America/Cancun',
		'America/Matamoros',
		'America/Ciudad_Juarez',
		'America/Mazatlan',
		'America/Tijuana',
	], // Mexico
	53: ['America/Havana'], // Cuba
	54: ['America/Argentina/Buenos_Aires'], // Argentina
	55: ['America/Noronha', 'America/Sao_Paulo', 'America/Manaus', 'America/Eirunepe'], // Brazil
	56: ['America/Santiago', 'America/Punta_Arenas', 'Pacific/Easter'], // Chile
	57: ['America/Bogota'], // Colombia
	58: ['America/Caracas'], // Venezuela
	211: ['Africa/Juba'], // South Sudan
	212: ['Africa/Casablanca'], // Morocco
	213: ['Africa/Algiers'], // Algeria
	216: ['Africa/Tunis'], // Tunisia
	218: ['Africa/Tripoli'], // Libya
	220: ['Africa/Banjul'], // Gambia
	221: ['Africa/Dakar'], // Senegal
	222: ['Africa/Nouakchott'], // Mauritania
	223: ['Africa/Bamako'], // Mali
	224: ['Africa/Conakry'], // Guinea
	225: ['Africa/Abidjan'], // Côte d’Ivoire
	226: ['Africa/Ouagadougou'], // Burkina Faso
	227: ['Africa/Niamey'], // Niger
	228: ['Africa/Lome'], // Togo
	229: ['Africa/Porto-Novo'], // Benin
	230: ['Indian/Mauritius'], // Mauritius
	231: ['Africa/Monrovia'], // Liberia
	232: ['Africa/Freetown'], // Sierra Leone
	233: ['Africa/Accra'], // Ghana
	234: ['Africa/Lagos'], // Nigeria
	235: ['Africa/Ndjamena'], // Chad
	236: ['Africa/Bangui'], // Central African Republic
	237: ['Africa/Douala'], // Cameroon
	238: ['Atlantic/Cape_Verde'], // Cape Verde
	239: ['Africa/Sao_Tome'], // São Tomé & Príncipe
	240: ['Africa/Malabo'], // Equatorial Guinea
	241: ['Africa/Libreville'], // Gabon
	242: ['Africa/Brazzaville'], // Congo
	243: ['Africa/Kinshasa', 'Africa/Lubumbashi'], // DR Congo
	244: ['Africa/Luanda'], // Angola
	245: ['Africa/Bissau'], // Guinea-Bissau
	246: ['Indian/Chagos'], // British Indian Ocean Territory
	247: ['Atlantic/St_Helena'], // Ascension
	248: ['Indian/Mahe'], // Seychelles
	249: ['Africa/Khartoum'], // Sudan
	250: ['Africa/Kigali'], // Rwanda
	251: ['Africa/Addis_Ababa'], // Ethiopia
	252: ['Africa/Mogadishu'], // Somalia
	253: ['Africa/Djibouti'], // Djibouti
	254: ['Africa/Nairobi'], // Kenya
	255: ['Africa/Dar_es_Salaam'], // Tanzania
	256: ['Africa/Kampala'], // Uganda
	257: ['Africa/Bujumbura'], // Burundi
	258: ['Africa/Maputo'], // Mozambique
	260: ['Africa/Lusaka'], // Zambia
	261: ['Indian/Antananarivo'], // Madagascar
	262: ['Indian/Reunion', 'Indian/Mayotte'], // Réunion, Mayotte
	263: ['Africa/Harare'], // Zimbabwe
	264: ['Africa/Windhoek'], // Namibia
	265: ['Africa/Blantyre'], // Malawi
	266: ['Africa/Maseru'], // Lesotho
	267: ['Africa/Gaborone'], // Botswana
	268: ['Africa/Mbabane'], // Eswatini
	269: ['Indian/Comoro'], // Comoros
	290: ['Atlantic/St_Helena'], // Saint Helena
	291: ['Africa/Asmara'], // Eritrea
	297: ['America/Aruba'], // Aruba
	298: ['Atlantic/Faroe'], // Faroe Islands
	299: ['America/Nuuk', 'America/Danmarkshavn', 'America/Thule'], // Greenland
	500: ['Atlantic/Stanley'], // Falkland Islands
	501: ['America/Belize'], // Belize
	502: ['America/Guatemala'], // Guatemala
	503: ['America/El_Salvador'], // El Salvador
	504: ['America/Tegucigalpa'], // Honduras
	505: ['America/Managua'], // Nicaragua
	506: ['America/Costa_Rica'], // Costa Rica
	507: ['America/Panama'], // Panama
	508: ['America/Miquelon'], // St. Pierre & Miquelon
	509: ['America/Port-au-Prince'], // Haiti
	590: ['America/Guadeloupe'], // Guadeloupe and others
	591: ['America/La_Paz'], // Bolivia
	592: ['America/Guyana'], // Guyana
	593: ['America/Guayaquil', 'Pacific/Galapagos'], // Ecuador
	594: ['America/Cayenne'], // French Guiana
	595: ['America/Asuncion'], // Paraguay
	596: ['America/Martinique'], // Martinique
	597: ['America/Paramaribo'], // Suriname
	598: ['America/Montevideo'], // Uruguay
	599: ['America/Kralendijk'], // Caribbean Netherlands, Curaçao
	1670: ['Pacific/Saipan'], // Northern Mariana Islands
	1671: ['Pacific/Guam'], // Guam
	1684: ['Pacific/Pago_Pago'], // American Samoa
};

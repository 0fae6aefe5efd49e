"""English nouns for what people do for a living."""

from typing import Final

OCCUPATIONS: Final = frozenset(
    """
    nurse doctor teacher engineer lawyer architect designer developer programmer baker chef cook waiter
    waitress plumber electrician carpenter accountant journalist writer author editor translator
    interpreter photographer musician singer actor actress painter artist dancer student researcher
    scientist biologist chemist physicist mathematician historian professor lecturer librarian dentist
    vet veterinarian pharmacist surgeon psychologist psychiatrist therapist physiotherapist physio
    midwife paramedic firefighter fireman policeman policewoman officer soldier pilot steward stewardess
    driver mechanic farmer gardener florist butcher fisherman barber hairdresser tailor cleaner cashier
    clerk secretary receptionist assistant manager consultant analyst salesman saleswoman salesperson
    seller director producer technician welder bricklayer builder postman postwoman courier barista
    bartender barman barmaid sommelier trainer tutor babysitter nanny judge notary politician diplomat
    economist banker broker trader realtor agent entrepreneur founder ceo cto cfo freelancer beekeeper
    winemaker illustrator animator curator archaeologist geologist astronomer statistician sysadmin
    administrator advisor adviser counselor counsellor optician optometrist radiologist cardiologist
    paediatrician pediatrician neurologist intern apprentice nutritionist dietitian dietician stonemason
    locksmith jeweller jeweler potter sculptor luthier composer conductor violinist pianist guitarist
    drummer cellist bassist caregiver carer bookseller copywriter marketer recruiter supervisor
    superviser paralegal roofer shepherd sailor captain guide ranger blacksmith watchmaker retiree
    housewife househusband homemaker superintendent upholsterer plasterer tiler glazier joiner
    cabinetmaker scaffolder surveyor estimator foreman labourer laborer docker stevedore longshoreman
    miner quarryman lumberjack logger arborist landscaper groundskeeper groundsman grower picker
    deckhand skipper boatswain lighthouse-keeper trucker lorry-driver cabbie chauffeur controller
    dispatcher signaller railwayman porter concierge bellboy housekeeper maid janitor caretaker doorman
    bouncer bodyguard guard watchman detective investigator sergeant constable inspector warden bailiff
    solicitor barrister attorney prosecutor magistrate mediator arbitrator auditor actuary bookkeeper
    treasurer teller underwriter adjuster coo auctioneer valuer appraiser archivist registrar headmaster
    headmistress principal dean teaching-assistant lollipop-lady childminder kindergartener educator
    instructor linguist philosopher sociologist anthropologist geographer cartographer meteorologist
    oceanographer botanist zoologist ecologist hydrologist geneticist virologist epidemiologist
    microbiologist toxicologist anaesthetist anesthesiologist radiographer sonographer phlebotomist
    orthodontist hygienist podiatrist chiropractor osteopath dermatologist oncologist gynaecologist
    gynecologist urologist pathologist audiologist acupuncturist masseur masseuse herbalist doula gp
    physician orderly embalmer undertaker mortician priest pastor vicar rabbi imam monk nun chaplain
    missionary deacon cartoonist novelist poet playwright screenwriter scriptwriter columnist reporter
    correspondent presenter broadcaster newsreader blogger vlogger youtuber streamer influencer
    podcaster proofreader typesetter printer bookbinder publisher publicist filmmaker cinematographer
    cameraman videographer gaffer stuntman stuntwoman puppeteer juggler acrobat comedian rapper dj
    songwriter organist harpist trumpeter saxophonist soprano tenor choreographer ballerina seamstress
    dressmaker milliner cobbler shoemaker weaver knitter tanner saddler farrier groom jockey cooper
    brewer distiller vintner cheesemaker confectioner chocolatier greengrocer grocer fishmonger milkman
    shopkeeper storekeeper retailer wholesaler merchandiser buyer stylist beautician makeup-artist
    manicurist tattooist tattoo-artist dog-walker dogwalker groomer zookeeper trapper gamekeeper
    astronaut cosmonaut navigator flight-attendant aviator rigger diver lifeguard coastguard referee
    umpire footballer cricketer boxer cyclist-courier athlete sysop tester modeller data-scientist
    webmaster strategist planner organiser organizer coordinator executive lobbyist activist ambassador
    consul councillor senator mayor minister civil-servant colonel lieutenant major corporal marine
    paratrooper veterinarian-nurse nursery-nurse au-pair handyman handywoman repairman sweep
    exterminator recycler binman dustman refuse-collector assembler machinist toolmaker turner fitter
    operator packer warehouseman stocker storeman tailoress webdesigner telemarketer fundraiser
    social-worker youth-worker
    """.split()
)
OCCUPATION_ENDINGS: Final = (
    "ologist",
    "graphist",
    "grapher",
    "therapist",
    "engineer",
    "developer",
    "designer",
    "teacher",
    "worker",
    "keeper",
    "driver",
    "maker",
    "manager",
    "trician",
    "monger",
    "wright",
)

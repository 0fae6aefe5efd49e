"""English nouns that an object must be among for its phrase to state a fact."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Final = _words(
    """
    english italian french german spanish portuguese dutch polish czech slovak russian ukrainian greek
    turkish arabic hebrew persian farsi hindi urdu bengali tamil chinese mandarin cantonese japanese
    korean vietnamese thai indonesian malay swedish norwegian danish finnish hungarian romanian
    bulgarian serbian croatian slovenian albanian irish welsh scottish catalan basque galician latin
    esperanto swahili yoruba amharic afrikaans icelandic estonian latvian lithuanian maltese punjabi
    gujarati tagalog gaelic sardinian neapolitan sicilian venetian friulian
    """
)
CONDITIONS: Final = _words(
    """
    asthma diabetes migraine migraines epilepsy anxiety depression adhd autism insomnia arthritis
    hypertension anemia anaemia eczema psoriasis celiac coeliac hypothyroidism hyperthyroidism
    endometriosis fibromyalgia scoliosis tinnitus dyslexia ptsd ocd copd ibs reflux sciatica glaucoma
    vertigo osteoporosis lupus allergies cancer leukemia parkinson's alzheimer's dementia asthmatic
    diabetic epileptic dyslexic autistic colour-blind colorblind anemic anaemic deaf sclerosis apnea
    apnoea disease syndrome disorder disease's pressure rhinitis
    """
)
OWNABLES: Final = _words(
    """
    car cars bike bikes bicycle motorcycle motorbike scooter house flat apartment boat sailboat van
    campervan camper truck guitar piano violin telescope camera drone farm shop store bakery restaurant
    café cafe bookshop bar cabin cottage vineyard land garden greenhouse kayak canoe synthesizer
    saxophone laptop tablet printer 3d-printer record-player turntable tractor vespa tesla motorhome
    caravan jeep keyboard e-bike skateboard surfboard snowboard console typewriter kindle villa studio
    garage
    """
)
INSTRUMENTS: Final = _words(
    """
    piano guitar violin cello drums bass flute clarinet saxophone trumpet harp ukulele banjo accordion
    organ viola oboe
    """
)
OCCUPATIONS: Final = _words(
    """
    nurse doctor teacher engineer lawyer architect designer developer programmer baker chef cook waiter
    waitress plumber electrician carpenter accountant journalist writer author editor translator
    interpreter photographer musician singer actor actress painter artist dancer student researcher
    scientist biologist chemist physicist mathematician historian professor lecturer librarian dentist
    vet veterinarian pharmacist surgeon psychologist psychiatrist therapist physiotherapist midwife
    paramedic firefighter policeman policewoman officer soldier pilot steward stewardess driver mechanic
    farmer gardener florist butcher fisherman barber hairdresser tailor cleaner cashier clerk secretary
    receptionist assistant manager consultant analyst salesman saleswoman seller director producer
    programmer technician welder bricklayer builder builder postman courier barista bartender sommelier
    trainer coach tutor babysitter nanny judge notary politician diplomat economist banker broker trader
    realtor agent entrepreneur founder ceo cto freelancer beekeeper winemaker illustrator animator
    curator archaeologist geologist astronomer statistician sysadmin administrator advisor counselor
    counsellor optician radiologist cardiologist paediatrician pediatrician neurologist intern
    apprentice nutritionist dietitian stonemason locksmith jeweller potter sculptor luthier composer
    conductor violinist pianist guitarist drummer caregiver carer bookseller copywriter marketer
    recruiter supervisor superviser paralegal roofer shepherd sailor captain guide ranger potter
    blacksmith watchmaker retiree housewife homemaker superintendent
    """
)
OCCUPATION_ENDINGS: Final = (
    "ologist",
    "graphist",
    "therapist",
    "engineer",
    "developer",
    "designer",
    "teacher",
    "worker",
    "keeper",
)
ROLES: Final = _words(
    """
    vegetarian vegan pescatarian introvert extrovert introverted extroverted perfectionist pacifist
    feminist environmentalist atheist agnostic buddhist catholic christian muslim jew jewish hindu
    protestant orthodox widow widower orphan twin parent mother father mum mom dad grandmother
    grandfather immigrant expat refugee veteran minimalist optimist pessimist cyclist runner climber
    swimmer gamer bookworm foodie romantic dreamer left-handed lefthanded pensioner beginner smoker
    non-smoker teetotaler collector birdwatcher hiker surfer skier insomniac workaholic nerd geek
    polyglot owl bird person lover italian english french german spanish american british irish scottish
    welsh canadian australian polish portuguese dutch swiss austrian greek turkish russian ukrainian
    romanian brazilian argentinian mexican peruvian chilean colombian indian chinese japanese korean
    moroccan egyptian nigerian kenyan swedish norwegian danish finnish hungarian czech albanian croatian
    serbian
    """
)
BREEDS: Final = _words(
    """
    labrador beagle dachshund poodle terrier retriever corgi spaniel greyhound collie shepherd husky
    chihuahua pug boxer bulldog mutt mongrel siamese persian tabby dog cat puppy kitten rabbit hamster
    parrot tortoise turtle horse pony
    """
)
ROLE_ENDINGS: Final = ("ese",)
ORGANISATIONS: Final = _words(
    """
    shelter hospice foundation centre center kitchen troop crew hospital clinic school university
    college bakery restaurant bank library museum factory startup start-up supermarket hotel café cafe
    bar pub shop store bookshop bookstore pharmacy office agency studio theatre theater cinema
    kindergarten nursery farm lab laboratory institute church club team choir band gym orchestra
    association union party society league company firm cooperative charity ngo airport garage salon
    newspaper magazine publisher ministry court council polytechnic academy conservatory group troupe
    winery vineyard dairy workshop ltd inc airline railway zoo embassy consultancy brewery distillery
    lodge federation
    """
)
VAGUE_ORGANISATIONS: Final = _words("company firm place office home night club-night job time")
AREAS: Final = _words("countryside suburbs mountains")
MONTHS: Final = _words(
    """
    january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec
    """
)
_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS: Final = {
    **{word: str(n) for n, word in enumerate(_UNITS, 1)},
    **{word: str(n) for n, word in enumerate(_TEENS, 10)},
    **{ten: str(10 * t) for t, ten in enumerate(_TENS, 2)},
    **{
        f"{ten}-{unit}": str(10 * t + u) for t, ten in enumerate(_TENS, 2) for u, unit in enumerate(_UNITS, 1)
    },
}
